"""A tiny server: the built runtime as a real server would serve it, a page for each root, and something to read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

PREFIX = "/static/runtime/"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"
NOON = "2026-11-02T12:00:00Z"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>probe</title><link rel="icon" href="/icon.svg">
<script type="module" src="{boot}" data-root="{root}" {attributes}></script></head>
<body><div id="app"><main id="shell"><h1>Shell</h1><input id="early" aria-label="early"></main></div>
<p id="runtime-status" role="status">Loading</p></body></html>"""


class Site:
    """Where the runtime can be visited."""

    def __init__(self, dist: Path, port: int) -> None:
        self.dist = dist
        self.origin = f"http://127.0.0.1:{port}"
        self.manifest: dict[str, Any] = json.loads((dist / "manifest.json").read_text())

    def page(self, root: str, **query: str) -> str:
        """The address of a page with the root component `probe:<root>`."""
        more = "".join(f"&{name}={value}" for name, value in query.items())
        return f"{self.origin}/?root={root if ':' in root else f'probe:{root}'}{more}"

    def file(self, logical: str) -> str:
        """The address of a file of the runtime."""
        return f"{self.origin}{PREFIX}{self.manifest['files'][logical]['name']}"


@contextmanager
def serving(dist: Path) -> Iterator[Site]:
    """Serve until the block ends."""
    site_manifest = json.loads((dist / "manifest.json").read_text())
    closing = threading.Event()
    attributes = {
        "root": dist,
        "released": closing,
        "by_name": {entry["name"]: entry for entry in site_manifest["files"].values()},
        "boot": PREFIX + site_manifest["boot"],
    }
    handler = type("Handler", (_Handler,), attributes)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Site(dist, server.server_address[1])
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root: Path
    boot: str
    by_name: dict[str, dict[str, Any]]
    released: threading.Event

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path.startswith(PREFIX):
            self._runtime(url.path.removeprefix(PREFIX))
        elif url.path == "/":
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            attributes = f'data-mode="{query["mode"]}"' if "mode" in query else ""
            page = PAGE.format(boot=self.boot, root=query["root"], attributes=attributes)
            self._answer(200, page.encode(), "text/html", {"Cache-Control": "no-cache"})
        elif url.path == "/moved":
            self._answer(302, b"", "text/plain", {"Location": "/echo?moved"})
        elif url.path == "/broken":
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ntoo short")
        elif url.path == "/slow":
            self.released.wait(30)
            self.close_connection = True
        elif url.path.startswith("/read/"):
            observation = {"Observed-At": NOON, "Served-At": NOON, "Cache-Age-Ms": "0"}
            self._answer(200, b"{}", "application/json", observation)
        elif url.path == "/icon.svg":
            self._answer(200, b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml")
        elif url.path == "/echo":
            self._answer(200, f"GET {url.query} {self.headers['accept']}".encode(), "text/plain")
        else:
            self._answer(404, b"nothing here", "text/plain")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._answer(200, body, self.headers["content-type"])

    def _runtime(self, name: str) -> None:
        entry = self.by_name.get(name)
        if entry is None:
            self._answer(404, b"nothing here", "text/plain")
            return
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
        accepted = {part.split(";")[0].strip() for part in self.headers.get("accept-encoding", "").split(",")}
        for encoding, form in entry["encodings"].items():
            if encoding in accepted:
                headers["Content-Encoding"] = encoding
                self._answer(200, (self.root / form["name"]).read_bytes(), entry["type"], headers)
                return
        self._answer(200, (self.root / name).read_bytes(), entry["type"], headers)

    def _answer(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        return
