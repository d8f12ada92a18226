"""What an endpoint's grant lets it do (D8)."""

from __future__ import annotations

from collections.abc import Sequence

from switchboard.core.identity import Caller, QueueIdentity
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.worker import Verb

_CLAIMING = frozenset({Verb.CLAIM, Verb.CLAIM_NEXT})


def require_verb(caller: Caller, verb: Verb) -> None:
    """Raises forbidden. admission_status goes with either claim verb (REQ-7)."""
    if verb in caller.verbs or (verb is Verb.ADMISSION_STATUS and caller.verbs & _CLAIMING):
        return
    raise SwitchboardError(ErrorCode.FORBIDDEN, f"Your grant does not hold the verb {verb.value}.")


def granted_queue(caller: Caller, name: str, *, field: str = "queue") -> QueueIdentity:
    """The queue of that name, as the grant has it. Raises forbidden, in the same words for any other name."""
    queue = caller.queues.get(name)
    if queue is None:
        raise SwitchboardError(ErrorCode.FORBIDDEN, "This queue is outside your grant.", field=field)
    return queue


def narrowed(caller: Caller, names: Sequence[str] | None) -> list[QueueIdentity]:
    """All granted queues, or the named ones. Raises forbidden."""
    if names is None:
        return list(caller.queues.values())
    return [granted_queue(caller, name, field=f"queues[{index}]") for index, name in enumerate(names)]
