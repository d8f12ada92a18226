"""Which server answers, as its capabilities say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BackendIdentity:
    """`database`: hash of the database's system identifier and name. `process`: random id of the server process."""

    database: str
    process: str

    def replaces(self, known: BackendIdentity | None) -> bool:
        """Whether data read from `known` must go: another database, not just another process of the same one (D29)."""
        return known is not None and known.database != self.database
