"""POST /webhooks/w/{token}: deliveries of webhooks.

The path is a secret. So this route answers all its failures itself: the boundary around the application logs paths, and
answers people. What it logs of a crash are places in the code, never a value: database errors quote rows.
"""

from __future__ import annotations

import traceback

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.service.services import Services
from switchboard.service.webhook_deliveries import Delivered
from switchboard.store.errors import DatabaseUnavailable, LockTimeout, StatementTimeout
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .answers import error_answer, json_answer
from .bodies import read_body
from .disconnects import CallerGone

log = structlog.get_logger(__name__)

DELIVERY_BYTES = 256 * 1024


def webhook_routes(services: Services) -> list[Route]:
    async def endpoint(request: Request) -> Response:
        try:
            delivered = await _deliver(services, request)
        except ClientDisconnect:
            raise CallerGone from None
        except SwitchboardError as error:
            return _refusal(error)
        except (DatabaseUnavailable, LockTimeout, StatementTimeout) as error:
            log.warning("webhook_database_unavailable", kind=type(error).__name__)
            return _refusal(
                SwitchboardError(
                    ErrorCode.UNAVAILABLE, "The database does not answer now; deliver again soon.", retry_after=2
                )
            )
        except Exception as error:
            log.error(
                "webhook_internal_error",
                kind=type(error).__name__,
                sqlstate=getattr(error, "sqlstate", None),
                stack="".join(traceback.format_tb(error.__traceback__)),
            )
            return _refusal(
                SwitchboardError(ErrorCode.INTERNAL, "Something went wrong in the server; its log has the place.")
            )
        return json_answer(delivered, 200 if delivered.duplicate else 202)

    # A token never has a slash; taken whole, so that whatever stands there gets the one answer to an unknown token.
    return [Route("/webhooks/w/{token:path}", endpoint, methods=["POST"], name="webhooks.deliver")]


async def _deliver(services: Services, request: Request) -> Delivered:
    """A sender who hangs up after the body does not undo the delivery: the next attempt finds it done, and is free."""
    webhook = await services.webhook_deliveries.webhook(request.path_params["token"])
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    body = await read_body(request, DELIVERY_BYTES)
    return await services.webhook_deliveries.deliver(webhook, headers, body)


def _refusal(error: SwitchboardError) -> Response:
    answer = error_answer(error)
    if error.status == 401:  # no bearer would help
        answer.headers["www-authenticate"] = "Webhook-Signature"
    return answer
