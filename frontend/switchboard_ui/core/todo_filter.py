"""The filter of a listing of todos, as its address holds it and as its form takes it (D27).

Queue, kind, states, tags, ids and times of creation stand in the address, so that a listing can be shared. None of
them is meant for secrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard_ui.core.places import BEFORE, Place
from switchboard_wire.errors import SwitchboardError, invalid
from switchboard_wire.instants import format_instant
from switchboard_wire.job_filter import JobFilter, decode_job_filter, filter_to_plain

_ONE = {"queue": "queue", "kind": "kind", "created_from": "created_at_gte", "created_to": "created_at_lt"}
_MANY = {"id": "ids", "state": "states", "tag": "tags"}
_PARAMETERS = {member: name for name, member in (_ONE | _MANY).items()}
"""The address's parameter of each member of a filter."""


def filter_of(place: Place) -> JobFilter:
    """Raises SwitchboardError(invalid_argument) that names the parameter; nothing in an address is passed over."""
    plain: dict[str, Any] = {}
    for name, value in place.parameters:
        if name in _ONE and _ONE[name] not in plain:
            plain[_ONE[name]] = value
        elif name in _MANY:
            plain.setdefault(_MANY[name], []).append(_id(value) if name == "id" else value)
        elif name in _ONE:
            raise invalid(name, "This is given twice.")
        elif name != BEFORE:
            raise invalid(name, "A listing of todos has no such filter.")
    return _decoded(plain)


def before_id_of(place: Place) -> int | None:
    """Where this page of the listing begins. Raises SwitchboardError(invalid_argument)."""
    if not place.cursors:
        return None
    try:
        return _id(place.cursors[-1])
    except SwitchboardError as error:
        raise invalid(BEFORE, "This is no place in the listing.") from error


def filter_of_form(form: Mapping[str, str], lists: Mapping[str, Sequence[str]], viewer: ZoneInfo) -> JobFilter:
    """`form` holds each field's text, `lists` the chosen states; times are the viewer's wall clock.

    Raises SwitchboardError(invalid_argument) that names the field of the form.
    """
    plain: dict[str, Any] = {name: text for name in ("queue", "kind") if (text := form.get(name, "").strip())}
    for name in ("created_from", "created_to"):
        if text := form.get(name, "").strip():
            plain[_ONE[name]] = _instant(name, text, viewer)
    if states := list(lists.get("state", ())):
        plain["states"] = states
    if tags := [tag.strip() for tag in form.get("tag", "").split(",") if tag.strip()]:
        plain["tags"] = list(dict.fromkeys(tags))
    if ids := form.get("id", "").replace(",", " ").split():
        plain["ids"] = list(dict.fromkeys(_id(each.removeprefix("#")) for each in ids))
    return _decoded(plain)


def parameters_of(job_filter: JobFilter) -> tuple[tuple[str, str], ...]:
    """The address's parameters of a filter, in the form's order."""
    plain = filter_to_plain(job_filter)
    pairs: list[tuple[str, str]] = []
    for member, value in plain.items():
        values = value if isinstance(value, list) else [value]
        pairs.extend((_PARAMETERS[member], str(each)) for each in values)
    return tuple(pairs)


def form_time(instant: datetime | None, viewer: ZoneInfo) -> str:
    """What a field for a local date and time shows of it; "" for none."""
    return "" if instant is None else f"{instant.astimezone(viewer):%Y-%m-%dT%H:%M}"


def _decoded(plain: dict[str, Any]) -> JobFilter:
    try:
        return decode_job_filter(plain)
    except SwitchboardError as error:
        path = (error.field or "").removeprefix("filter.")
        member = path.partition("[")[0]
        name = _PARAMETERS.get(member, member)
        raise invalid(name, error.message) from error


def _id(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 19:
        raise invalid("id", "A todo's number has digits only.")
    return int(text)


def _instant(name: str, text: str, viewer: ZoneInfo) -> str:
    try:
        local = datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid(name, "Enter a date and a time, as in 2026-11-30T08:00.") from error
    return format_instant(local if local.tzinfo is not None else local.replace(tzinfo=viewer))
