"""Documents of the page as answers, with the style sheet as it is now."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from switchboard_ui.shell import Document, document

from .html import render
from .runtime_files import RuntimeFiles

NO_STORE = {"cache-control": "no-store"}


class HtmlPages:
    """`reload` is the address of the script that shows changes; None outside of development."""

    def __init__(self, files: RuntimeFiles, reload: str | None = None) -> None:
        self._files = files
        self._reload = reload

    async def answer(self, page: Document, status: int = 200, headers: dict[str, str] | None = None) -> HTMLResponse:
        """`headers`: those that concern caching, `NO_STORE` unless others are given."""
        drawn = document(
            page,
            stylesheet=self._files.static_url("switchboard.css"),
            icon=self._files.static_url("icon.svg"),
            reload=self._reload,
        )
        return HTMLResponse("<!doctype html>" + await render(drawn), status, headers or NO_STORE)
