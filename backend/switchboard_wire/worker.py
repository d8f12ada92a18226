"""The worker verbs: what each takes and gives (POST /api/v1/worker/<verb>, D3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from .admission import ClaimAdmission, DeferredQueue, QueueAdmission
from .errors import ErrorCode, invalid
from .job_filter import MAX_ID
from .shape import NOT_NULL, Between, Distinct, Length
from .todo import Todo, TodoState, TodoSummary

MIN_LEASE_SECONDS, MAX_LEASE_SECONDS = 1, 86_400
MAX_BATCH = 100
MAX_LISTED = 200

TodoId = Annotated[int, Between(1, MAX_ID)]
QueueName = Annotated[str, Length(1, 200)]
Label = Annotated[str, Length(1, 200)]
Fence = Annotated[str | None, NOT_NULL, Length(36, 36)]
LeaseSeconds = Annotated[int | None, NOT_NULL, Between(MIN_LEASE_SECONDS, MAX_LEASE_SECONDS)]


class Verb(StrEnum):
    """Every verb that a grant may hold."""

    ENQUEUE = "enqueue"
    LIST_TODOS = "list_todos"
    GET_TODO = "get_todo"
    CLAIM = "claim"
    CLAIM_NEXT = "claim_next"
    COMPLETE = "complete"
    FAIL = "fail"
    RELEASE = "release"
    HEARTBEAT = "heartbeat"
    ADMISSION_STATUS = "admission_status"


@dataclass(frozen=True, slots=True)
class Enqueue:
    """`not_before` schedules the todo; `idempotency_key` dedups among the endpoint's live todos."""

    queue: QueueName
    kind: Label
    title: Annotated[str, Length(0, 200)] = ""
    source: Annotated[str, Length(0, 200)] = ""
    payload: Any = None
    tags: Annotated[tuple[Label, ...], Length(0, 20), Distinct()] = ()
    idempotency_key: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    max_attempts: Annotated[int, Between(1, 100)] = 5
    not_before: Annotated[datetime | None, NOT_NULL] = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """`duplicate` tells that `todo` stood before under the same idempotency key."""

    todo: Todo
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """`fence` asks for a one-time token that heartbeat, complete, fail and release of this claim must present."""

    todo_id: TodoId
    lease_seconds: LeaseSeconds = None
    worker: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    fence: bool = False


@dataclass(frozen=True, slots=True)
class ClaimNext:
    """`queues` narrows the granted queues; `max` asks for a batch, which comes from one queue."""

    queues: Annotated[tuple[QueueName, ...] | None, NOT_NULL, Length(1, 200), Distinct()] = None
    max: Annotated[int | None, NOT_NULL, Between(1, MAX_BATCH)] = None
    lease_seconds: LeaseSeconds = None
    worker: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    fence: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    """A committed claim. `admission` is None when the queue has no policy."""

    todo: Todo
    admission: ClaimAdmission | None


@dataclass(frozen=True, slots=True)
class ClaimNextAnswer:
    """`todos` in claim order, one unless `max` was given; `empty` when there is none.

    `held_back` counts what `max` asked for, the queue had, and admission did not leave. `deferred` lists the granted
    queues that have pending work and admit none of it; absent work leaves it empty.
    """

    empty: bool
    todos: tuple[Todo, ...] = ()
    admission: ClaimAdmission | None = None
    held_back: int = 0
    deferred: tuple[DeferredQueue, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One todo of a batch of completions."""

    todo_id: TodoId
    result: Any = None
    fence: Fence = None


@dataclass(frozen=True, slots=True)
class Complete:
    """One todo, or several in `todos`. `next` claims in the same request and transaction, after the completion."""

    todo_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    result: Any = None
    fence: Fence = None
    todos: Annotated[tuple[Completion, ...] | None, NOT_NULL, Length(1, MAX_BATCH)] = None
    next: Annotated[ClaimNext | None, NOT_NULL] = None

    def completions(self) -> tuple[Completion, ...]:
        """Raises invalid_argument unless either `todo_id` or distinct `todos` are given."""
        if self.todos is None:
            if self.todo_id is None:
                raise invalid("todo_id", "This field is required, unless todos is given.")
            return (Completion(self.todo_id, self.result, self.fence),)
        for name, value in (("todo_id", self.todo_id), ("result", self.result), ("fence", self.fence)):
            if value is not None:
                raise invalid(name, "Give this field inside todos, or leave todos out.")
        seen: set[int] = set()
        for index, one in enumerate(self.todos):
            if one.todo_id in seen:
                raise invalid(f"todos[{index}].todo_id", "This todo is given twice.")
            seen.add(one.todo_id)
        return self.todos


@dataclass(frozen=True, slots=True)
class Fail:
    """`retry` false sends the todo to the dead letters at once."""

    todo_id: TodoId
    error: Annotated[str, Length(0, 10_000)] = ""
    retry: bool = True
    fence: Fence = None


@dataclass(frozen=True, slots=True)
class Release:
    todo_id: TodoId
    fence: Fence = None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    todo_id: TodoId
    lease_seconds: LeaseSeconds = None
    fence: Fence = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The todo as the verb left it."""

    todo: Todo


@dataclass(frozen=True, slots=True)
class Completed:
    """The todo as it ended. `next` is the answer to the claim asked for along with it.

    `next` is None when none was asked for, or when it could not be answered though the completion stands; ask
    claim_next then.
    """

    todo: Todo
    next: ClaimNextAnswer | None = None


@dataclass(frozen=True, slots=True)
class RefusedCompletion:
    """What a completion of this todo alone would have been refused with; `state` is None when there is no such todo."""

    todo_id: int
    code: ErrorCode
    message: str
    state: TodoState | None


@dataclass(frozen=True, slots=True)
class CompletedBatch:
    """Each todo is in one of the lists: ids of those completed, and those refused. `next` as in Completed; it is asked
    only when something was completed."""

    completed: tuple[int, ...]
    refused: tuple[RefusedCompletion, ...]
    next: ClaimNextAnswer | None = None


@dataclass(frozen=True, slots=True)
class GetTodo:
    todo_id: TodoId


@dataclass(frozen=True, slots=True)
class Attempt:
    """One committed claim. `outcome` is completed, failed, released or lapsed; None while it runs."""

    seq: int
    claimant: str | None
    worker: str | None
    claimed_at: datetime
    ended_at: datetime | None
    outcome: str | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class TodoHistory:
    """A todo with all its attempts, oldest first."""

    todo: Todo
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class ListTodos:
    """Newest first; `before_id` is exclusive."""

    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None
    states: Annotated[tuple[TodoState, ...] | None, NOT_NULL, Length(1, 7), Distinct()] = None
    before_id: Annotated[int | None, NOT_NULL, Between(1, MAX_ID)] = None
    limit: Annotated[int, Between(1, MAX_LISTED)] = 50


@dataclass(frozen=True, slots=True)
class TodoList:
    """`next_before_id` continues the list; None at its end."""

    todos: tuple[TodoSummary, ...]
    next_before_id: int | None


@dataclass(frozen=True, slots=True)
class AskAdmissionStatus:
    queue: Annotated[str | None, NOT_NULL, Length(1, 200)] = None


@dataclass(frozen=True, slots=True)
class AdmissionStatuses:
    queues: tuple[QueueAdmission, ...] = field(default=())
