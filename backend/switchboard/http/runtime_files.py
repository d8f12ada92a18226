"""What the page is made of: the runtime that the build wrote, styles and icons, from our own origin only.

Names of the runtime's files carry a hash of their content, so they are cached for good. Each lies precompressed beside
itself; the best encoding that the browser takes is sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

PREFIX = "/static/runtime/"
FOR_GOOD = "public, max-age=31536000, immutable"
_ENCODINGS = ("zstd", "br", "gzip")  # in the order of preference
_STATIC_TYPES = {".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    type: str
    encodings: Mapping[str, Path]


class RuntimeFiles:
    """The files named in the build's manifest; nothing else of the folder is served."""

    def __init__(self, dist: Path, statics: Path) -> None:
        self._files: dict[str, _File] = {}
        self.boot: str | None = None
        manifest = dist / "manifest.json"
        if manifest.exists():
            value = json.loads(manifest.read_text(encoding="utf-8"))
            self.boot = PREFIX + value["boot"]
            for entry in value["files"].values():
                self._files[entry["name"]] = _File(
                    dist / entry["name"],
                    entry["type"],
                    {name: dist / one["name"] for name, one in entry["encodings"].items()},
                )
        self._statics = {path.name: path for path in statics.iterdir() if path.suffix in _STATIC_TYPES}

    def static_url(self, name: str) -> str:
        """The address of a style or icon, with its content's hash."""
        return f"/static/{name}?v={_version(self._statics[name])}"

    def routes(self) -> list[Route]:
        return [
            Route(PREFIX + "{name:path}", self._runtime_file, methods=["GET"], name="runtime"),
            Route("/static/{name}", self._static_file, methods=["GET"], name="static"),
        ]

    async def _runtime_file(self, request: Request) -> Response:
        file = self._files.get(request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        headers = {"cache-control": FOR_GOOD, "vary": "accept-encoding"}
        accepted = {part.partition(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
        for encoding in _ENCODINGS:
            if encoding in accepted and encoding in file.encodings:
                return FileResponse(
                    file.encodings[encoding], media_type=file.type, headers=headers | {"content-encoding": encoding}
                )
        return FileResponse(file.path, media_type=file.type, headers=headers)

    async def _static_file(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = self._statics.get(name)
        if path is None:
            raise HTTPException(404)
        current = request.query_params.get("v") == _version(path)
        return FileResponse(
            path,
            media_type=_STATIC_TYPES[path.suffix],
            headers={"cache-control": FOR_GOOD if current else "no-cache"},
        )


def _version(path: Path) -> str:
    # Read each time: what was edited while the server runs must not be cached as what it was.
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
