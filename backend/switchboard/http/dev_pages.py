"""What a server in development serves beside the rest: what has changed, and the script that shows it."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from .html_pages import NO_STORE
from .runtime_files import RuntimeFiles

RELOAD = "/dev/reload.mjs"


def dev_routes(process: str, files: RuntimeFiles, scripts: Path) -> list[Route]:
    """`process` tells this server from the one before; `scripts` is the folder of the script."""

    async def changes(_: Request) -> Response:
        # A change of Python or of a script starts another process; style sheets are read anew by this one.
        now = {"process": process, "stylesheet": files.static_url("switchboard.css")}
        return JSONResponse(now, headers=NO_STORE)

    async def reload(_: Request) -> Response:
        return FileResponse(scripts / "reload.mjs", media_type="text/javascript", headers=NO_STORE)

    return [
        Route("/dev/changes", changes, methods=["GET"]),
        Route(RELOAD, reload, methods=["GET"]),
    ]
