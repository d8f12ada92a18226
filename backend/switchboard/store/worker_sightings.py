"""Who was seen at work by this process, until it is noted: memory alone, so that a claim pays nothing for it."""

from __future__ import annotations

from datetime import datetime

from . import statements
from .database import Database

MOST_REMEMBERED = 10_000


class WorkerSightings:
    """The latest sighting of each (endpoint id, worker's name), by the database's clock."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], datetime] = {}

    def saw(self, endpoint_id: int, name: str, at: datetime) -> None:
        key = (endpoint_id, name)
        if key not in self._seen and len(self._seen) >= MOST_REMEMBERED:
            del self._seen[next(iter(self._seen))]
        self._seen[key] = max(at, self._seen.get(key, at))

    async def note(self, database: Database) -> None:
        """Writes them all in one statement. What fails is noted the next time."""
        seen = dict(self._seen)
        if not seen:
            return
        async with database.session() as connection:
            await statements.workers.note_sightings(
                connection,
                endpoint_ids=[endpoint_id for endpoint_id, _ in seen],
                names=[name for _, name in seen],
                instants=list(seen.values()),
            )
        for key, at in seen.items():
            if self._seen.get(key) == at:
                del self._seen[key]
