"""The worker verbs over HTTP, one method each way."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

TIMEOUT_SECONDS = 30.0


class Refused(Exception):
    """The server refused. `code` is of the closed list, `error` the whole error object."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = str(error.get("code"))
        self.error = error


class ServerAway(Exception):
    """No answer, or one that says to come again later (`retry_after` in seconds)."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class WorkerApi:
    """`await api.call("claim_next", max=10)`. Raises Refused or ServerAway."""

    def __init__(self, url: str, credential: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = httpx.AsyncClient(
            base_url=f"{url.rstrip('/')}/api/v1/worker/",
            headers={"authorization": f"Bearer {credential}"},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
        )
        self.server_time: datetime | None = None
        """The server's clock in its last answer, to the second: waits are measured on it, never on ours."""

    async def call(self, verb: str, **body: Any) -> Any:
        try:
            answer = await self._http.post(verb, json=body)
            value = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise ServerAway(f"{verb}: {error}") from error
        if date := answer.headers.get("date"):
            self.server_time = parsedate_to_datetime(date).astimezone(UTC)
        if answer.status_code == 200:
            return value
        told = value.get("error", {}) if isinstance(value, dict) else {}
        if answer.status_code in (429, 500, 502, 503, 504):
            raise ServerAway(f"{verb}: {told.get('message', answer.status_code)}", _seconds(answer))
        raise Refused(told)

    async def close(self) -> None:
        await self._http.aclose()


def _seconds(answer: httpx.Response) -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None
