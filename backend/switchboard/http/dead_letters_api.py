"""What operators change about dead letters."""

from __future__ import annotations

from starlette.routing import Route

from switchboard.service.services import Services
from switchboard_wire.dead_letters import MatchingBody, MoveBody

from .mutations import Mutations


def dead_letter_routes(services: Services, mutations: Mutations) -> list[Route]:
    one, bulk = services.dead_letter_actions, services.dead_letter_bulk
    return [
        mutations.route("POST", "/api/dlq/{id:int}/retry", "dlq.retry", one.retry),
        mutations.route("POST", "/api/dlq/{id:int}/purge", "dlq.purge", one.purge),
        mutations.route("POST", "/api/dlq/{id:int}/move", "dlq.move", one.move, MoveBody),
        mutations.route("POST", "/api/dlq/retry-matching", "dlq.retry_matching", bulk.retry_matching, MatchingBody),
        mutations.route("POST", "/api/dlq/purge-matching", "dlq.purge_matching", bulk.purge_matching, MatchingBody),
    ]
