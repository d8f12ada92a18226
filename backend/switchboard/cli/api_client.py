"""The operator API as the CLI calls it: address and token from options, the environment, or the demo's file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid
from switchboard_wire.operator import PolicyList, PolicyView
from switchboard_wire.schedules import Schedule, ScheduleList, Triggered
from switchboard_wire.shape import decode

CLI_FILE = "cli.json"
PREFIX, SCHEDULES = "/api/v1/admission", "/api/schedules"
T = TypeVar("T")


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

    def policies(self) -> PolicyList:
        """Every queue that the token's human manages."""
        return self._decoded(PolicyList, self._call("GET", PREFIX, None))

    def show(self, scope: str, queue: str) -> PolicyView:
        return self._decoded(PolicyView, self._call("GET", _address(scope, queue), None))

    def set(self, scope: str, queue: str, body: dict[str, Any]) -> PolicyView:
        return self._decoded(PolicyView, self._call("PUT", _address(scope, queue), body))

    def clear(self, scope: str, queue: str) -> bool:
        """True when there was a policy."""
        return bool(self._call("DELETE", _address(scope, queue), None).get("cleared"))

    def schedules(self) -> ScheduleList:
        """Every schedule that the token's human may read."""
        return self._decoded(ScheduleList, self._call("GET", SCHEDULES, None))

    def add_schedule(self, body: dict[str, Any]) -> Schedule:
        return self._decoded(Schedule, self._call("POST", SCHEDULES, body))

    def schedule(self, schedule_id: int) -> Schedule:
        """Raises not_found."""
        found = next((one for one in self.schedules().schedules if one.id == schedule_id), None)
        if found is None:
            raise SwitchboardError(ErrorCode.NOT_FOUND, "There is no such schedule that you may see.")
        return found

    def edit_schedule(self, schedule_id: int, body: dict[str, Any]) -> Schedule:
        """`body` is the whole of it, with the version that was seen."""
        return self._decoded(Schedule, self._call("PUT", f"{SCHEDULES}/{schedule_id}", body))

    def act_on_schedule(self, schedule_id: int, action: str) -> Schedule:
        """`action` is pause or resume."""
        return self._decoded(Schedule, self._call("POST", f"{SCHEDULES}/{schedule_id}/{action}", {}))

    def trigger_schedule(self, schedule_id: int) -> Triggered:
        return self._decoded(Triggered, self._call("POST", f"{SCHEDULES}/{schedule_id}/trigger", {}))

    def remove_schedule(self, schedule_id: int) -> Schedule:
        """As it was."""
        return self._decoded(Schedule, self._call("DELETE", f"{SCHEDULES}/{schedule_id}", None))

    def _decoded(self, shape: type[T], value: dict[str, Any]) -> T:
        try:
            return decode(shape, value, refuse_unknown=False)
        except SwitchboardError as error:
            raise _foreign(self._url, 200) from error

    def _call(self, method: str, path: str, body: Any) -> Any:
        try:
            answer = httpx.request(
                method,
                self._url + path,
                headers={"authorization": f"Bearer {self._token}"},
                json=body,
                timeout=20,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SwitchboardError(ErrorCode.UNAVAILABLE, f"{self._url} does not answer ({error}).") from error
        except UnicodeEncodeError as error:
            raise invalid("token", "A token has only ASCII characters; this one was not copied whole.") from error
        try:
            value = answer.json()
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise _foreign(self._url, answer.status_code)
        if answer.status_code >= 400:
            raise _refusal(value, self._url, answer.status_code)
        return value


def _address(scope: str, queue: str) -> str:
    return f"{PREFIX}/{quote(scope, safe=':')}/{quote(queue, safe='')}"


def _foreign(url: str, status: int) -> SwitchboardError:
    return SwitchboardError(ErrorCode.UNAVAILABLE, f"{url} does not speak Switchboard's API (HTTP {status}).")


def _refusal(value: dict[str, Any], url: str, status: int) -> SwitchboardError:
    """The server's own words, also under a code that only a newer release knows."""
    told = value.get("error")
    if not isinstance(told, dict) or not isinstance(told.get("message"), str):
        return _foreign(url, status)
    known = {code.value: code for code in ErrorCode}
    field = told.get("field")
    return SwitchboardError(
        known.get(str(told.get("code")), ErrorCode.INTERNAL),
        told["message"],
        field=field if isinstance(field, str) else None,
    )


def _stored(data: Path | None) -> Mapping[str, str]:
    path = (data or Path(os.environ.get("SWITCHBOARD_DATA") or ".switchboard")) / CLI_FILE
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
