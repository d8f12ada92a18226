"""How an operator's read becomes a route: guards, whole-read deadline, strict asking, permit or cache, observation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.core.identity import Human
from switchboard.service.callers import Callers
from switchboard.service.interactive_reads import InteractiveReads, Observed
from switchboard.service.read_budget import ReadDeadline, whole_read
from switchboard.service.wall_clock import utc_now
from switchboard_wire.envelope import VERSION, Observation, observation_headers
from switchboard_wire.job_filter import MAX_ID
from switchboard_wire.parameters import decode_parameters
from switchboard_wire.reads import NoParameters
from switchboard_wire.session import READER_HEADER, Session, SessionHuman

from .answers import encode, encoded_answer, json_answer
from .authentication import browser_session, reading_human
from .bodies import STRICT_READ_BYTES, read_json
from .disconnects import while_connected
from .origins import guard_origin


class Reads:
    """Builds the routes of reads. The deadline runs from the entry of the request to the encoded answer."""

    def __init__(self, reads: InteractiveReads, callers: Callers, public_origins: Sequence[str]) -> None:
        self._reads = reads
        self._callers = callers
        self._public_origins = public_origins

    async def human(self, request: Request) -> Human:
        """Raises forbidden for a foreign origin, or unauthenticated."""
        guard_origin(request, self._public_origins)
        return await reading_human(request, self._callers)

    async def session(self, request: Request) -> Session:
        """Who asks, with what a mutation from this browser needs. Raises like `human`."""
        if "authorization" not in request.headers:
            guard_origin(request, self._public_origins)
            found = await browser_session(request, self._callers)
            if found is not None:
                return Session(SessionHuman(found.human.id, found.human.name, found.human.operator), found.csrf_token)
        human = await self.human(request)
        return Session(SessionHuman(human.id, human.name, human.operator), None)

    def strict(
        self,
        path: str,
        name: str,
        decode: Callable[[Any], Any],
        read: Callable[[Human, Any, ReadDeadline], Awaitable[object]],
    ) -> Route:
        """POST with a versioned body, answered in the envelope."""

        async def endpoint(request: Request) -> Response:
            async with whole_read(self._reads.limits) as deadline:
                human = await self.human(request)
                ask = decode(await read_json(request, STRICT_READ_BYTES))
                observed = await while_connected(
                    request, self._reads.uncached(lambda deadline: read(human, ask, deadline), deadline)
                )
                envelope = {"version": VERSION, "data": observed.value, "observation": _observation(observed)}
                return json_answer(envelope, headers={READER_HEADER: str(human.id)})

        return Route(path, endpoint, methods=["POST"], name=name)

    def owning(
        self,
        path: str,
        name: str,
        read: Callable[..., Awaitable[object]],
        parameters: type[Any] | None = None,
        *,
        cached: bool = False,
    ) -> Route:
        """GET, answered as the payload alone, with the observation in headers.

        `read(human, *path ids, asked parameters, deadline)`; without `parameters` none are taken, nor given to `read`.
        `cached`: readers with the same view share one observation.
        """

        async def endpoint(request: Request) -> Response:
            async with whole_read(self._reads.limits) as deadline:
                human = await self.human(request)
                ids = [min(value, MAX_ID) for value in request.path_params.values()]  # nothing has the largest id
                asked = decode_parameters(parameters or NoParameters, request.url.query)
                given = [*ids, asked] if parameters else ids

                async def run(deadline: ReadDeadline) -> bytes:
                    # encoded once for all who share it
                    return encode(await read(human, *given, deadline))

                if cached:
                    key = (name, human.id, human.operator, *given)
                    observed = await while_connected(request, self._reads.cached(key, run))
                else:
                    observed = await while_connected(request, self._reads.uncached(run, deadline))
                return encoded_answer(observed.value, headers=reader_headers(human.id, _observation(observed)))

        return Route(path, endpoint, methods=["GET"], name=name)


def reader_headers(human_id: int, observation: Observation) -> dict[str, str]:
    """Headers of an owning read: its observation, and for whom it was made."""
    return observation_headers(observation) | {READER_HEADER: str(human_id)}


def _observation(observed: Observed[Any]) -> Observation:
    return Observation(observed_at=observed.observed_at, served_at=utc_now(), cache_age_ms=observed.cache_age_ms)
