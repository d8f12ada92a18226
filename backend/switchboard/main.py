"""Composition root: puts one server process together, runs it, and takes it apart again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated

import typer
import uvicorn
import uvloop

import switchboard_ui
from switchboard.cli import demo, dev, endpoint, human, queue_budget, schedule, team, webhook
from switchboard.cli import migrate as migrate_command
from switchboard.cli.app import app as cli
from switchboard.cli.database import database_url
from switchboard.cli.failures import readable
from switchboard.http.app import HttpSettings, http_app
from switchboard.log import set_up_logging
from switchboard.service.read_budget import ReadLimits
from switchboard.service.services import services
from switchboard.service.sweeps import SweepRunner, sweeps
from switchboard.settings import Settings, read_settings
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.migrations import migrate, require_migrated

GRACE_SECONDS = 10

# Importing them has added their verbs to the command.
COMMANDS = (demo, dev, endpoint, human, migrate_command, queue_budget, schedule, team, webhook)


@cli.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the embedded database.")] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Serve reads alone; the database is not written.")
    ] = False,
) -> None:
    """Serve the page and the API; with no database URL, on an embedded PostgreSQL."""
    with readable():
        settings = read_settings(os.environ, host=host, port=port, data=data, read_only=read_only)
        set_up_logging()
        with (
            _deaf_to_raised_signals(),
            database_url(settings) as url,
            _listening(settings) as listener,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runner.run(_serve(settings, url, listener))


def run() -> None:
    """The `switchboard` command."""
    cli()


async def _serve(settings: Settings, url: str, listener: socket.socket) -> None:
    database = Database(
        DatabaseSettings(
            url,
            claim_connections=settings.claim_connections,
            read_connections=settings.read_connections,
            pooled=settings.pooled,
        )
    )
    limits = ReadLimits(
        whole_read=settings.whole_read_seconds,
        statement=settings.statement_seconds,
        lock_wait=settings.lock_wait_seconds,
        at_once=settings.reads_at_once,
        waiting=settings.reads_waiting,
        wait=settings.read_wait_seconds,
        cache_ttl=settings.cache_seconds,
    )
    host, port = listener.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    frontend = Path(switchboard_ui.__file__).parent.parent

    # Opened before the server starts, so that a database that is not there is one sentence and no traceback.
    await database.open()
    try:
        if settings.read_only:
            await require_migrated(database)
        else:
            for migration in await migrate(database, post=False):
                print(f"Applied migration {migration.number:04d} {migration.name}.", flush=True)  # noqa: T201

        use_cases = services(database, limits)

        @asynccontextmanager
        async def lifespan() -> AsyncIterator[None]:
            runner = SweepRunner([] if settings.read_only else sweeps(database, use_cases.worker_sightings))
            runner.start()
            print(f"Switchboard serves on {address}", flush=True)  # noqa: T201
            yield
            await runner.stop()

        app = http_app(
            database,
            use_cases,
            HttpSettings(
                public_origins=settings.public_origins or _own_origins(host, port),
                runtime=frontend / "runtime" / ("build/dev" if settings.development else "dist"),
                statics=frontend / "static",
                read_only=settings.read_only,
                dev_files=frontend / "dev" if settings.development else None,
                secure_cookies=any(origin.startswith("https://") for origin in settings.public_origins),
            ),
            lifespan,
        )
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            server_header=False,
            proxy_headers=False,
        )
        await uvicorn.Server(config).serve(sockets=[listener])
    finally:
        await database.close()


def _own_origins(host: str, port: int) -> tuple[str, ...]:
    names = {host, "127.0.0.1", "localhost"} if host in ("127.0.0.1", "0.0.0.0", "localhost") else {host}
    return tuple(f"http://{name}:{port}" for name in sorted(names))


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """Bound before anything else starts, so that a port in use is one sentence."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named, since asyncio turns off the delay of small answers (40 ms) only where it is.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(1024)  # whoever reads our address may connect at once
        except OSError as error:
            raise typer.BadParameter(
                f"cannot listen on {settings.host}:{settings.port} ({os.strerror(error.errno or 0)}); "
                "choose another with --port or SWITCHBOARD_PORT"
            ) from error
        yield listener


@contextmanager
def _deaf_to_raised_signals() -> Iterator[None]:
    """uvicorn stops on SIGINT and SIGTERM, then raises them again; what follows it here must still be taken apart."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    run()
