"""What a server in development serves beside the rest: what has changed, and the gallery of the components."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from switchboard_ui.gallery.families import FAMILIES
from switchboard_ui.gallery.pages import family_page, index_page, state_page
from switchboard_ui.shell import Document

from .html_pages import NO_STORE, HtmlPages
from .runtime_files import RuntimeFiles

TYPES = {"reload.mjs": "text/javascript", "gallery.css": "text/css"}


def dev_routes(process: str, pages: HtmlPages, files: RuntimeFiles, folder: Path) -> list[Route]:
    """`process` tells this server from the one before; `folder` has the files named in TYPES."""

    async def changes(_: Request) -> Response:
        # A change of Python or of a script starts another process; style sheets are read anew by this one.
        now = {"process": process, "stylesheet": files.static_url("switchboard.css")}
        return JSONResponse(now, headers=NO_STORE)

    async def file(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        return FileResponse(folder / name, media_type=TYPES[name], headers=NO_STORE)

    async def index(_: Request) -> Response:
        return await pages.answer(Document("Gallery", (index_page(),)))

    async def family(request: Request) -> Response:
        name = request.path_params["family"]
        if name not in FAMILIES:
            raise HTTPException(404)
        return await pages.answer(Document(f"{FAMILIES[name].heading} - Gallery", (family_page(name),)))

    async def state(request: Request) -> Response:
        family, name = request.path_params["family"], request.path_params["state"]
        if family not in FAMILIES or not FAMILIES[family].whole_pages:
            raise HTTPException(404)
        element = FAMILIES[family].states().get(name)
        if element is None:
            raise HTTPException(404)
        return await pages.answer(Document(f"{name} - Gallery", (state_page(element),)))

    return [
        Route("/dev/changes", changes, methods=["GET"]),
        *(Route(f"/dev/{name}", file, methods=["GET"]) for name in TYPES),
        Route("/dev/gallery", index, methods=["GET"]),
        Route("/dev/gallery/{family}", family, methods=["GET"]),
        Route("/dev/gallery/{family}/{state}", state, methods=["GET"]),
    ]
