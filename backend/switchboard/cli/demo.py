"""switchboard demo: a server, data and a handful of workers, for a first look."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from switchboard.settings import Settings, read_settings

from .app import app
from .database import database_url, with_services
from .demo_data import OPERATOR, DemoAccess, remember_server, seed
from .demo_workers import run_demo_workers
from .failures import readable

STARTUP_SECONDS = 60


@app.command()
def demo(
    port: Annotated[int | None, typer.Option(help="Port of the server.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the embedded database.")] = None,
) -> None:
    """Serve with demo data and demo workers until Ctrl-C."""
    with readable():
        settings = read_settings(os.environ, port=port, data=data)
        refuse_taken_port(settings)
        settings.data.mkdir(parents=True, exist_ok=True)
        typer.echo("Starting the database…")
        with database_url(settings):
            access = with_services(lambda services: seed(services, settings.data), data=settings.data)
            asyncio.run(_run(settings, access))


def refuse_taken_port(settings: Settings) -> None:
    """Whoever answers there would be taken for the server that is about to start."""
    try:
        socket.create_connection((settings.host, settings.port), timeout=1).close()
    except OSError:
        return
    raise typer.BadParameter(
        f"something listens on {settings.host}:{settings.port} already; choose another port with PORT= or --port"
    )


async def _run(settings: Settings, access: DemoAccess) -> None:
    stopping = stop_signal()
    url = f"http://{settings.host}:{settings.port}"
    server = await start_server(settings)
    ended = asyncio.ensure_future(server.wait())
    stop = asyncio.ensure_future(stopping.wait())
    try:
        if not await answers(url, ended, stop):
            return
        remember_server(settings.data, url, access.operator_token)
        tell_sign_in(url, access)
        typer.echo("  The queue investigations reaches its budget within two minutes. Ctrl-C stops everything.\n")
        workers = asyncio.ensure_future(run_demo_workers(url, access))
        try:
            ends: set[asyncio.Future[Any]] = {ended, stop, workers}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            workers.cancel()
            await asyncio.gather(workers, return_exceptions=True)
    finally:
        stop.cancel()
        if server.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                server.terminate()
        code = await ended
    if code not in (0, -signal.SIGTERM):
        raise subprocess.CalledProcessError(code, "switchboard serve")


def stop_signal() -> asyncio.Event:
    """Set by Ctrl-C, or when this process is told to end."""
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


async def start_server(settings: Settings, environment: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
    """`switchboard serve` with these settings; what `environment` has goes on top of ours."""
    command = [sys.executable, "-m", "switchboard.main", "serve", "--data", str(settings.data)]
    command += ["--host", settings.host, "--port", str(settings.port)]
    # A Ctrl-C is for this process, which then stops the server.
    return await asyncio.create_subprocess_exec(
        *command, start_new_session=True, env=os.environ | dict(environment or {})
    )


def tell_sign_in(url: str, access: DemoAccess) -> None:
    typer.echo(f"\n  Open {url}/ and sign in as {OPERATOR} with the password {access.password}\n")


async def answers(url: str, ended: asyncio.Future[int], stop: asyncio.Future[Any]) -> bool:
    """True once the server answers; False when it ended or was told to stop before."""
    async with asyncio.timeout(STARTUP_SECONDS), httpx.AsyncClient() as client:
        while not ended.done() and not stop.done():
            with contextlib.suppress(httpx.HTTPError):
                await client.get(f"{url}/api/capabilities")
                return True
            waiting: set[asyncio.Future[Any]] = {ended, stop}
            await asyncio.wait(waiting, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
    return False
