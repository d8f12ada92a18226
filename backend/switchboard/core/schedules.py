"""When a schedule fires: five cron fields, read as wall-clock time in a zone (by the rule of boundaries of D19).

Each local time L that the expression names fires at the first instant at which the zone's clock reads L or later:

* L inside a gap fires once, at the first instant after the gap; several such fall together into one fire;
* L that the clock reads twice fires the first time only. That holds for `*/5` too: it is silent during the second
  pass of a repeated hour, so that every local time fires once and no expression is treated apart from the others.

The fields are minute, hour, day of month, month and day of week, with numbers, names (JAN, MON), `*`, ranges, lists and
steps. When both day fields are set and neither begins with `*`, a day that matches either one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from cronsim import CronSim, CronSimError

from switchboard.core.windows import first_instant_reading, local_reading
from switchboard.core.zones import zone

HORIZON = timedelta(days=5 * 366)
"""A schedule must fire within this time."""

MAX_CRON = 200
_ITEM = r"(\*|([0-9]{1,2}|[A-Z]{3})(-([0-9]{1,2}|[A-Z]{3}))?)(/[0-9]{1,2})?"
_FIELD = re.compile(rf"{_ITEM}(,{_ITEM})*", re.IGNORECASE | re.ASCII)


class InvalidCron(ValueError):
    """The expression cannot be read, or names no time within the horizon."""


def next_fire(cron: str, tz: str, instant: datetime) -> datetime:
    """The first fire after `instant`, an aware datetime. Raises InvalidCron, UnknownZone."""
    where = zone(tz)
    # Whatever the clock reads now or earlier has fired: the search starts at the next reading.
    for local in _readings(cron, local_reading(where, instant)):
        at = first_instant_reading(where, local)
        if at - instant > HORIZON:
            break
        if at > instant:  # not so for the rest of an hour that is being repeated
            return at
    raise InvalidCron("It names no time within five years.")


def latest_fire(cron: str, tz: str, instant: datetime) -> datetime | None:
    """The last fire at or before `instant`, within the horizon. Raises InvalidCron, UnknownZone."""
    where = zone(tz)
    reading = local_reading(where, instant)
    latest = None
    for local in _readings(cron, reading):
        at = first_instant_reading(where, local)
        if at > instant:
            break
        latest = at
    if latest is not None:
        return latest
    before = next(_readings(cron, reading + timedelta(seconds=1), back=True), None)
    if before is None:
        return None
    at = first_instant_reading(where, before)
    return at if instant - at <= HORIZON else None


def _readings(cron: str, start: datetime, *, back: bool = False) -> Iterator[datetime]:
    """The local times, without a zone, that `cron` names after `start`, or before it."""
    fields = cron.split()
    if len(cron) > MAX_CRON or len(fields) != 5 or not all(_FIELD.fullmatch(field) for field in fields):
        raise InvalidCron("Give five fields: minute, hour, day of month, month, day of week.")
    try:
        return CronSim(" ".join(fields), start.replace(microsecond=0), reverse=back)
    except CronSimError as error:
        raise InvalidCron(f"{error}.") from error
