"""What a page must never do, whatever else a test is about: complain, leave the origin, open a channel of its own."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, Request

from tests.support.servers import Server


class Witness:
    """Watches pages and a server's log. `allow` names complaints that a test brings about on purpose."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._log_before = len(server.log())
        self._allowed: list[str] = []
        self._complaints: list[str] = []
        self.requests: list[Request] = []

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._complaints.append(f"page error: {error}"))
        page.on("crash", lambda _: self._complaints.append("the page crashed"))
        page.on("websocket", lambda socket: self._complaints.append(f"a WebSocket to {socket.url}"))
        page.on("request", self._request)

    def allow(self, pattern: str) -> None:
        """Console messages that match are expected in this test."""
        self._allowed.append(pattern)

    def reads(self, path: str) -> int:
        """How many requests for this path were sent so far."""
        return sum(urlsplit(request.url).path == path for request in self.requests)

    def check(self) -> None:
        complaints = [text for text in self._complaints if not any(re.search(one, text) for one in self._allowed)]
        assert not complaints, f"the pages complained: {complaints}"
        lines = complaints_in(self._server.log()[self._log_before :])
        assert not lines, f"the server's log says: {lines}"

    def _console(self, message: ConsoleMessage) -> None:
        self._complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        self.requests.append(request)
        parts = urlsplit(request.url)
        if request.resource_type in ("eventsource", "websocket", "ping"):
            self._complaints.append(f"{request.resource_type} to {request.url}")
        # "blob:" and "data:" stay in the tab
        if parts.scheme in ("http", "https") and parts.hostname != "127.0.0.1":
            self._complaints.append(f"a request left the origin: {request.url}")


def complaints_in(log: str) -> list[str]:
    """Its lines but those that tell of ordinary work: leases lapse and operations end in any long run."""
    return [line for line in log.splitlines() if line and '"level": "info"' not in line]
