"""Schedules in words: when they fire, on whose clock, and why one does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from switchboard_ui.core.schedule_form import (
    differences,
    field_of,
    form_values,
    place_of_form,
    queue_choices,
    template_of_form,
)
from switchboard_ui.core.schedules_view import ScheduleRow, schedule_rows, schedules_summary
from switchboard_ui.core.zoned_time import ZonedTime
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.schedules import Missed, Schedule, ScheduleList
from tests.ui.views.samples import BERLIN, LOS_ANGELES, NOW, overview, queues, schedule

ENTERED = {
    "name": " nightly ",
    "cron": "0 2 * * *",
    "tz": "Europe/Berlin",
    "missed": "skip",
    "kind": "sweep",
    "title": "Sweep",
    "source": "schedule",
    "tags": "a, b,, a",
    "max_attempts": "3",
    "payload": '{"n": 1}',
}


def row(one: Schedule) -> ScheduleRow:
    return schedule_rows(ScheduleList((one,)), None, BERLIN, NOW)[one.id]


def test_the_next_fire_is_on_both_clocks_when_they_differ_and_once_when_not() -> None:
    assert row(schedule(tz=LOS_ANGELES)).next == ZonedTime(
        "2026-12-01T10:00:00Z", "Tue 1 Dec 02:00 PST · 11:00 your time"
    )
    assert row(schedule(tz=BERLIN)).next == ZonedTime("2026-12-01T10:00:00Z", "11:00 CET")


def test_the_last_fire_is_to_the_second_and_may_never_have_been() -> None:
    assert row(schedule()).last is None
    fired = row(schedule(last_fired_at=datetime(2026, 12, 1, 7, 0, 1, tzinfo=UTC)))
    assert fired.last == ZonedTime("2026-12-01T07:00:01Z", "08:00:01 CET")


@pytest.mark.parametrize(
    ("more", "kind", "state"),
    [
        ({}, "on", "on"),
        ({"paused": True}, "paused", "paused"),
        ({"fault": "No endpoint drains it."}, "fault", "set aside"),
        ({"fault": "No endpoint drains it.", "paused": True}, "fault", "set aside and paused"),
    ],
)
def test_what_does_not_fire_has_no_next_fire(more: dict[str, object], kind: str, state: str) -> None:
    one = row(schedule(**more))
    assert (one.kind, one.state, one.fault) == (kind, state, more.get("fault"))
    assert (one.next is None) == (kind != "on")


def test_missed_fires_are_told_in_words() -> None:
    assert row(schedule(missed=Missed.SKIP)).missed == "skipped"
    assert row(schedule(missed=Missed.FIRE_ONCE)).missed == "made up once"


def test_who_may_manage_it_follows_from_its_queue_and_is_unknown_without() -> None:
    known = queues(replace(overview("mail"), manageable=False))
    assert row(schedule()).manageable is None
    assert schedule_rows(ScheduleList((schedule(),)), known, BERLIN, NOW)[7].manageable is False


def test_the_summary_counts_those_that_do_not_fire() -> None:
    listed = ScheduleList((schedule(), schedule(paused=True), schedule(fault="x", paused=True)))
    assert schedules_summary(listed) == "Schedules: 3, 1 paused, 1 set aside."


def test_the_form_says_what_the_server_takes() -> None:
    assert template_of_form(ENTERED) == {
        "name": "nightly",
        "cron": "0 2 * * *",
        "tz": "Europe/Berlin",
        "missed": "skip",
        "kind": "sweep",
        "title": "Sweep",
        "source": "schedule",
        "tags": ["a", "b"],
        "max_attempts": 3,
        "payload": {"n": 1},
    }
    assert template_of_form(ENTERED | {"payload": " "})["payload"] is None


@pytest.mark.parametrize(
    ("entered", "field", "text"),
    [
        ({"max_attempts": "five"}, "max_attempts", "Enter a whole number from 1 to 100."),
        ({"payload": "{n}"}, "payload", "Enter JSON, or nothing."),
    ],
)
def test_what_cannot_be_sent_names_its_field(entered: dict[str, str], field: str, text: str) -> None:
    with pytest.raises(SwitchboardError) as refused:
        template_of_form(ENTERED | entered)
    assert refused.value.field == field
    assert refused.value.message.startswith(text)


def test_only_manageable_queues_can_be_chosen() -> None:
    choices = queue_choices(
        queues(overview("mail", queue_id=4), replace(overview("foreign", queue_id=5), manageable=False))
    )
    assert place_of_form({"queue": "4"}, choices) == {"scope": "endpoint:research", "queue": "mail"}
    with pytest.raises(SwitchboardError, match="Choose a queue"):
        place_of_form({"queue": "5"}, choices)


def test_a_new_one_begins_in_the_viewers_zone_and_an_edited_one_as_it_was_seen() -> None:
    assert form_values(None, BERLIN)["tz"] == BERLIN
    values = form_values(schedule(payload={"n": 1}, tags=("a", "b"), tz=LOS_ANGELES), BERLIN)
    assert (values["tz"], values["tags"], values["payload"]) == (LOS_ANGELES, "a, b", '{\n  "n": 1\n}')


def test_a_refusal_finds_its_field() -> None:
    assert [field_of(path) for path in ("cron", "tags[2]", "payload.n", "scope", "version", None)] == [
        "cron",
        "tags",
        "payload",
        "queue",
        None,
        None,
    ]


def test_another_version_is_told_by_what_differs() -> None:
    newer = schedule(cron="30 3 * * *", missed=Missed.FIRE_ONCE, version=4)
    assert differences(schedule(), newer) == (("Cron expression", "30 3 * * *"), ("Missed fires", "made up once"))
    assert differences(schedule(), schedule(paused=True, version=4)) == ()
