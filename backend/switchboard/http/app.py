"""The HTTP application of one process."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from switchboard.core.zones import ZONE_DATABASE_VERSION
from switchboard.service.interactive_reads import CACHED_FLOOR, UNCACHED_FLOOR
from switchboard.service.services import Services
from switchboard.store.database import Database
from switchboard_wire.envelope import VERSION
from switchboard_wire.job_filter import MAX_PAGE
from switchboard_wire.reads import BackendIdentity, Capabilities, FilterProtocol, ReadLimits

from .bodies import STRICT_READ_BYTES
from .dead_letters_api import dead_letter_routes
from .failures import FailureBoundary, http_exception
from .html_pages import HtmlPages
from .mutations import Mutations
from .operations_api import operation_routes
from .operator_api import operator_routes
from .pages import page_routes
from .queues_api import queue_routes
from .read_only import ReadOnly
from .reads import Reads
from .reads_api import read_routes
from .runtime_files import RuntimeFiles
from .schedules_api import schedule_routes
from .security_headers import SecurityHeaders
from .webhook_intake import webhook_routes
from .worker_api import worker_routes

STRICT_READS = {
    "jobs_query": "/api/v1/jobs/query",
    "jobs_count": "/api/v1/jobs/count",
    "dlq_query": "/api/v1/dlq/query",
}


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """`runtime` is the folder that the runtime's build wrote; `statics` holds styles and icons.

    `dev_files` is the folder of what pages load in development; None: the server knows no route for development.
    """

    public_origins: tuple[str, ...]
    runtime: Path
    statics: Path
    secure_cookies: bool
    read_only: bool = False
    dev_files: Path | None = None


def http_app(
    database: Database,
    services: Services,
    settings: HttpSettings,
    lifespan: Callable[[], AbstractAsyncContextManager[None]],
) -> Starlette:
    """Every route; `lifespan` opens what the services need and closes it again."""
    process = secrets.token_hex(8)

    async def capabilities() -> Capabilities:
        return Capabilities(
            release=version("switchboard"),
            zone_database=ZONE_DATABASE_VERSION,
            read_only=settings.read_only,
            backend=BackendIdentity(process, await database.identity()),
            job_filter_protocols={name: FilterProtocol(path, (VERSION,)) for name, path in STRICT_READS.items()},
            limits=ReadLimits(
                whole_read_deadline_ms=int(services.reads.limits.whole_read * 1000),
                cached_refresh_floor_ms=CACHED_FLOOR * 1000,
                uncached_refresh_floor_ms=UNCACHED_FLOOR * 1000,
                max_body_bytes=STRICT_READ_BYTES,
                max_page=MAX_PAGE,
            ),
        )

    @asynccontextmanager
    async def started(_: Starlette) -> AsyncIterator[None]:
        async with lifespan():
            yield

    runtime_files = RuntimeFiles(settings.runtime, settings.statics)
    developing = settings.dev_files is not None
    pages = HtmlPages(runtime_files, f"/dev/reload.mjs?process={process}" if developing else None)
    mutations = Mutations(services.callers, settings.public_origins)
    routes: list[Route] = [
        *worker_routes(services),
        *operator_routes(services, mutations),
        *dead_letter_routes(services, mutations),
        *queue_routes(services, mutations),
        *operation_routes(services, mutations),
        *schedule_routes(services, mutations),
        *webhook_routes(services),
        *read_routes(services, capabilities, Reads(services.reads, services.callers, settings.public_origins)),
        *runtime_files.routes(),
        *page_routes(
            services, pages, runtime_files.boot, settings.public_origins, secure_cookies=settings.secure_cookies
        ),
    ]
    if settings.dev_files is not None:
        # Imported here: a server in production does without the gallery.
        from .dev_pages import dev_routes

        routes += dev_routes(process, pages, runtime_files, settings.dev_files)
    middleware = [Middleware(SecurityHeaders), Middleware(FailureBoundary)]
    if settings.read_only:
        middleware.append(Middleware(ReadOnly))
    app = Starlette(
        routes=routes,
        lifespan=started,
        middleware=middleware,
        exception_handlers={HTTPException: http_exception},
    )
    # A redirect to the same path without its slash would name the host that the request claims.
    app.router.redirect_slashes = False
    return app
