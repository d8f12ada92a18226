"""Every use case of one process, around one database."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.store.database import Database
from switchboard.store.worker_sightings import WorkerSightings

from .accounts import Accounts
from .board_reads import BoardReads
from .callers import Callers
from .claim import ClaimService
from .complete import CompleteService
from .dead_letter_actions import DeadLetterActions
from .dead_letter_bulk import DeadLetterBulk
from .dead_letters import DeadLetters
from .details import Details
from .drain import DrainService
from .endpoints import Endpoints
from .enqueue import EnqueueService
from .interactive_reads import InteractiveReads
from .known_policies import KnownPolicies
from .operations import Operations
from .operator_audit import OperatorAudit
from .operator_todos import OperatorTodos
from .policies import PolicyService
from .queue_actions import QueueActions
from .read_budget import ReadLimits
from .schedules import Schedules
from .statistics import StatisticsReads
from .teams import Teams
from .todo_reads import TodoReads
from .webhook_deliveries import WebhookDeliveries
from .webhooks import Webhooks
from .workers import WorkerReads


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
    operator_audit: OperatorAudit
    dead_letters: DeadLetters
    dead_letter_actions: DeadLetterActions
    dead_letter_bulk: DeadLetterBulk
    queue_actions: QueueActions
    operations: Operations
    schedules: Schedules
    teams: Teams
    webhooks: Webhooks
    webhook_deliveries: WebhookDeliveries
    board: BoardReads
    details: Details
    statistics: StatisticsReads
    workers: WorkerReads
    worker_sightings: WorkerSightings
    reads: InteractiveReads


def services(database: Database, read_limits: ReadLimits | None = None) -> Services:
    known_policies = KnownPolicies()
    sightings = WorkerSightings()
    claim = ClaimService(database, known_policies, sightings)
    policies = PolicyService(database, known_policies)
    return Services(
        callers=Callers(database),
        accounts=Accounts(database),
        endpoints=Endpoints(database),
        claim=claim,
        complete=CompleteService(database, claim, sightings),
        drain=DrainService(database, sightings),
        enqueue=EnqueueService(database, known_policies),
        todos=TodoReads(database, known_policies),
        policies=policies,
        operator_todos=OperatorTodos(database, known_policies, claim),
        operator_audit=OperatorAudit(database),
        dead_letters=DeadLetters(database),
        dead_letter_actions=DeadLetterActions(database, known_policies),
        dead_letter_bulk=DeadLetterBulk(database),
        queue_actions=QueueActions(database, known_policies, policies),
        operations=Operations(database),
        schedules=Schedules(database, policies),
        teams=Teams(database),
        webhooks=Webhooks(database),
        webhook_deliveries=WebhookDeliveries(database),
        board=BoardReads(database, known_policies),
        details=Details(database, known_policies),
        statistics=StatisticsReads(database),
        workers=WorkerReads(database),
        worker_sightings=sightings,
        reads=InteractiveReads(read_limits or ReadLimits(), database.generation),
    )
