"""Changes of schedules over the operator API."""

from __future__ import annotations

from starlette.routing import Route

from switchboard.service.services import Services
from switchboard_wire.schedules import EditedSchedule, NewSchedule

from .mutations import Mutations


def schedule_routes(services: Services, mutations: Mutations) -> list[Route]:
    schedules = services.schedules
    one = "/api/schedules/{id:int}"
    return [
        mutations.route("POST", "/api/schedules", "schedules.create", schedules.create, NewSchedule),
        mutations.route("PUT", one, "schedules.edit", schedules.edit, EditedSchedule),
        mutations.route("DELETE", one, "schedules.delete", schedules.delete),
        mutations.route("POST", one + "/trigger", "schedules.trigger", schedules.trigger),
        mutations.route("POST", one + "/pause", "schedules.pause", schedules.pause),
        mutations.route("POST", one + "/resume", "schedules.resume", schedules.resume),
    ]
