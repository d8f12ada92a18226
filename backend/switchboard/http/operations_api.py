"""Operations over HTTP: preview, submit, cancel. Their reads are with the other owning reads."""

from __future__ import annotations

from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.read_budget import whole_read
from switchboard.service.services import Services
from switchboard_wire.operations import OperationPreview, PreviewBody, SubmitBody

from .mutations import Mutations


def operation_routes(services: Services, mutations: Mutations) -> list[Route]:
    operations = services.operations

    async def preview(human: Human, body: PreviewBody) -> OperationPreview:
        async with whole_read(services.reads.limits) as deadline:
            observed = await services.reads.uncached(
                lambda deadline: operations.preview(human, body, deadline), deadline
            )
        return observed.value

    return [
        mutations.route("POST", "/api/operations/preview", "operations.preview", preview, PreviewBody),
        mutations.route("POST", "/api/operations", "operations.submit", operations.submit, SubmitBody),
        mutations.route("POST", "/api/operations/{id:int}/cancel", "operations.cancel", operations.cancel),
    ]
