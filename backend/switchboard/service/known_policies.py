"""What this process knows of policies: a hint for the claim function, which checks it under the policy's lock."""

from __future__ import annotations

from collections.abc import Iterable

from switchboard.core.known_policy import NO_POLICY_VERSION, KnownPolicy, PolicyColumns, evaluate
from switchboard.store.rows import Row, policy_columns


class KnownPolicies:
    """The last version seen of each queue's policy, with the window it was in. Wrong knowledge costs a round trip."""

    def __init__(self) -> None:
        self._known: dict[int, KnownPolicy] = {}

    def of(self, queue_ids: Iterable[int]) -> list[KnownPolicy]:
        """One for each queue; a queue never heard of is taken to have no policy."""
        return [self._known.get(queue_id) or KnownPolicy(queue_id, NO_POLICY_VERSION) for queue_id in queue_ids]

    def learn(self, row: Row) -> KnownPolicy:
        """From a row with the policy's columns and the database's clock (`at`)."""
        queue_id = row["queue_id"]
        columns: PolicyColumns = policy_columns(row)
        known = evaluate(queue_id, columns, row["at"])
        if known.version == NO_POLICY_VERSION:
            self._known.pop(queue_id, None)
        else:
            self._known[queue_id] = known
        return known
