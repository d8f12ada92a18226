"""Schedules as the operator API carries them: what is asked for, and what stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from .shape import Between, Distinct, Length


class Missed(StrEnum):
    """What becomes of fires that no server was there for: nothing, or one todo for the latest."""

    SKIP = "skip"
    FIRE_ONCE = "fire_once"


Label = Annotated[str, Length(1, 200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleTemplate:
    """When it fires, and the todo that it makes then. The name is unique in the queue."""

    name: Label
    kind: Label
    title: Label
    cron: Label
    tz: Label
    source: Label = "schedule"
    payload: Any = None
    tags: Annotated[tuple[Label, ...], Length(0, 20), Distinct()] = ()
    max_attempts: Annotated[int, Between(1, 100)] = 5
    missed: Missed = Missed.SKIP


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSchedule(ScheduleTemplate):
    """`scope` is `endpoint:<slug>` or `team:<slug>`."""

    scope: Label
    queue: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedSchedule(ScheduleTemplate):
    """A full replacement of the version that was seen; the queue stays."""

    version: Annotated[int, Between(1, 2**53 - 1)]


@dataclass(frozen=True, slots=True)
class Schedule:
    """`fault` tells why it is set aside; it does not fire until it is edited."""

    id: int
    scope: str
    queue: str
    name: str
    kind: str
    title: str
    source: str
    payload: Any
    tags: tuple[str, ...]
    max_attempts: int
    cron: str
    tz: str
    missed: Missed
    paused: bool
    fault: str | None
    next_fire_at: datetime
    last_fired_at: datetime | None
    version: int
    created_by: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ScheduleList:
    schedules: tuple[Schedule, ...]


@dataclass(frozen=True, slots=True)
class Triggered:
    todo_id: int
