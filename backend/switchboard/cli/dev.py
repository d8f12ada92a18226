"""switchboard dev: the demo from a checkout, with every change shown in the open tab."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from switchboard.settings import Settings, read_settings

from .app import app
from .database import database_url, with_services
from .demo import answers, refuse_taken_port, start_server, stop_signal, tell_sign_in
from .demo_data import DemoAccess, remember_server, seed
from .demo_workers import run_demo_workers
from .failures import readable
from .file_changes import FileChanges

CHECKOUT = Path(__file__).resolve().parents[3]
# The running server reads style sheets and icons anew by itself.
WATCHED = (CHECKOUT / "backend", CHECKOUT / "frontend" / "switchboard_ui", CHECKOUT / "frontend" / "runtime")
SUFFIXES = (".py", ".sql", ".mjs", ".json")
BUILD = (sys.executable, str(CHECKOUT / "frontend" / "runtime" / "build.py"), "--dev", "--plain-progress")
LOOK_SECONDS = 0.2
STOP_SECONDS = 3


@app.command()
def dev(
    port: Annotated[int | None, typer.Option(help="Port of the server.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the embedded database.")] = None,
) -> None:
    """Serve the demo from a checkout; a changed file is shown in the open tab at once."""
    with readable():
        settings = read_settings(os.environ, port=port, data=data)
        if not (CHECKOUT / "frontend" / "runtime" / "build.py").exists():
            raise typer.BadParameter("this command works in a checkout alone; `switchboard demo` works everywhere")
        refuse_taken_port(settings)
        settings.data.mkdir(parents=True, exist_ok=True)
        typer.echo("Starting the database…")
        with database_url(settings):
            access = with_services(lambda services: seed(services, settings.data), data=settings.data)
            asyncio.run(_Loop(settings, access).run())


class _Loop:
    """One server after the other, until Ctrl-C. What keeps one from starting is printed, and the next save tries."""

    def __init__(self, settings: Settings, access: DemoAccess) -> None:
        self._settings = settings
        self._access = access
        self._url = f"http://{settings.host}:{settings.port}"
        self._server: asyncio.subprocess.Process | None = None
        self._ended: asyncio.Future[int] | None = None

    async def run(self) -> None:
        stop = asyncio.ensure_future(stop_signal().wait())
        files = FileChanges(WATCHED, SUFFIXES)
        remember_server(self._settings.data, self._url, self._access.operator_token)
        workers = asyncio.ensure_future(run_demo_workers(self._url, self._access))
        try:
            await self._start(stop)
            tell_sign_in(self._url, self._access)
            typer.echo("  Every change of a file is shown in the open tab. Ctrl-C stops everything.\n")
            while not stop.done():
                if changed := files.since_last_time():
                    await self._show(changed, stop)
                await self._wait(stop)
        finally:
            workers.cancel()
            await asyncio.gather(workers, return_exceptions=True)
            await self._stop()

    async def _show(self, changed: Sequence[Path], stop: asyncio.Future[Any]) -> None:
        typer.echo(f"Changed: {', '.join(str(path.relative_to(CHECKOUT)) for path in changed)}")
        complaint = syntax_error(changed)
        if complaint is None:
            await self._start(stop)
        else:
            typer.echo(f"{complaint}The server goes on as it was.", err=True)

    async def _start(self, stop: asyncio.Future[Any]) -> None:
        """A server with what is in the checkout now, in place of the one before."""
        await asyncio.gather(_build(), self._stop())
        self._server = await start_server(self._settings, {"SWITCHBOARD_DEVELOPMENT": "1"})
        self._ended = asyncio.ensure_future(self._server.wait())
        with contextlib.suppress(TimeoutError):
            await answers(self._url, self._ended, stop)

    async def _wait(self, stop: asyncio.Future[Any]) -> None:
        ends: set[asyncio.Future[Any]] = {stop} if self._ended is None else {stop, self._ended}
        await asyncio.wait(ends, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if self._ended is not None and self._ended.done() and not stop.done():
            self._ended = self._server = None
            typer.echo("The server has ended; its messages stand above. The next change starts it again.", err=True)

    async def _stop(self) -> None:
        server, self._server, self._ended = self._server, None, None
        if server is None or server.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            server.terminate()
            try:
                await asyncio.wait_for(server.wait(), STOP_SECONDS)
            except TimeoutError:
                server.kill()
                await server.wait()


def syntax_error(files: Sequence[Path]) -> str | None:
    """The first one of these that Python cannot read, as Python would tell it; None when it can read all."""
    for path in files:
        if path.suffix == ".py" and path.exists():
            try:
                compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            except (SyntaxError, ValueError) as error:
                return "".join(traceback.format_exception_only(error))
    return None


async def _build() -> None:
    """A failure has been told by the build itself; the page then stays the one of the last build."""
    building = await asyncio.create_subprocess_exec(*BUILD, stdout=asyncio.subprocess.DEVNULL)
    await building.wait()
