"""Every use case of one process, around one database."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.store.database import Database

from .accounts import Accounts
from .board_reads import BoardReads
from .callers import Callers
from .claim import ClaimService
from .complete import CompleteService
from .drain import DrainService
from .endpoints import Endpoints
from .enqueue import EnqueueService
from .interactive_reads import InteractiveReads
from .known_policies import KnownPolicies
from .operator_todos import OperatorTodos
from .policies import PolicyService
from .read_budget import ReadLimits
from .schedules import Schedules
from .teams import Teams
from .todo_reads import TodoReads
from .webhook_deliveries import WebhookDeliveries
from .webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class Services:
    """What a front calls; it does not matter which front (D3)."""

    callers: Callers
    accounts: Accounts
    endpoints: Endpoints
    claim: ClaimService
    complete: CompleteService
    drain: DrainService
    enqueue: EnqueueService
    todos: TodoReads
    policies: PolicyService
    operator_todos: OperatorTodos
    schedules: Schedules
    teams: Teams
    webhooks: Webhooks
    webhook_deliveries: WebhookDeliveries
    board: BoardReads
    reads: InteractiveReads


def services(database: Database, read_limits: ReadLimits | None = None) -> Services:
    known_policies = KnownPolicies()
    claim = ClaimService(database, known_policies)
    policies = PolicyService(database, known_policies)
    return Services(
        callers=Callers(database),
        accounts=Accounts(database),
        endpoints=Endpoints(database),
        claim=claim,
        complete=CompleteService(database, claim),
        drain=DrainService(database),
        enqueue=EnqueueService(database, known_policies),
        todos=TodoReads(database, known_policies),
        policies=policies,
        operator_todos=OperatorTodos(database, known_policies, claim),
        schedules=Schedules(database, policies),
        teams=Teams(database),
        webhooks=Webhooks(database),
        webhook_deliveries=WebhookDeliveries(database),
        board=BoardReads(database, known_policies),
        reads=InteractiveReads(read_limits or ReadLimits(), database.generation),
    )
