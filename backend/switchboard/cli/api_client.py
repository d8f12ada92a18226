"""The operator API as the CLI calls it: address and token from options, the environment, or the demo's file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

CLI_FILE = "cli.json"


class ApiClient:
    """Raises SwitchboardError with the server's own words."""

    def __init__(self, url: str | None, token: str | None, data: Path | None) -> None:
        stored = _stored(data)
        self._url = (url or os.environ.get("SWITCHBOARD_URL") or stored.get("url") or "http://127.0.0.1:8080").rstrip(
            "/"
        )
        found = token or os.environ.get("SWITCHBOARD_TOKEN") or stored.get("token")
        if not found:
            raise invalid("token", "Give --token or SWITCHBOARD_TOKEN; `switchboard human token NAME` makes one.")
        self._token = found

    def policy(self, method: str, scope: str, queue: str, body: Any = None) -> Any:
        """GET, PUT or DELETE on one policy."""
        return self._call(method, f"/api/v1/admission/{quote(scope, safe=':')}/{quote(queue, safe='')}", body)

    def policies(self) -> Any:
        return self._call("GET", "/api/v1/admission", None)

    def _call(self, method: str, path: str, body: Any) -> Any:
        try:
            answer = httpx.request(
                method,
                self._url + path,
                headers={"authorization": f"Bearer {self._token}"},
                json=body,
                timeout=20,
            )
        except httpx.HTTPError as error:
            raise SwitchboardError(ErrorCode.UNAVAILABLE, f"{self._url} does not answer ({error}).") from error
        try:
            value = answer.json()
        except json.JSONDecodeError as error:
            raise SwitchboardError(
                ErrorCode.UNAVAILABLE, f"{self._url} does not speak Switchboard's API (HTTP {answer.status_code})."
            ) from error
        if answer.status_code >= 400:
            told = value.get("error", {}) if isinstance(value, dict) else {}
            raise SwitchboardError(
                ErrorCode(told.get("code", "internal")), told.get("message", "refused"), field=told.get("field")
            )
        return value


def _stored(data: Path | None) -> Mapping[str, str]:
    path = (data or Path(os.environ.get("SWITCHBOARD_DATA") or ".switchboard")) / CLI_FILE
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
