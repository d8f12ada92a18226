"""What operators do to a whole queue."""

from __future__ import annotations

from starlette.routing import Route

from switchboard.service.services import Services

from .mutations import Mutations


def queue_routes(services: Services, mutations: Mutations) -> list[Route]:
    queues = services.queue_actions
    return [
        mutations.route("POST", "/api/queues/{id:int}/pause", "queues.pause", queues.pause),
        mutations.route("POST", "/api/queues/{id:int}/resume", "queues.resume", queues.resume),
        mutations.route("POST", "/api/queues/{id:int}/drain", "queues.drain", queues.drain),
    ]
