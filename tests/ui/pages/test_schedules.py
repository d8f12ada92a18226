"""The page of the schedules: rows, actions, and the form that makes and edits one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from switchboard_ui.ports import Response
from switchboard_wire.reads import QueuesPage
from switchboard_wire.schedules import ScheduleList, Triggered
from tests.ui.pages.screen import JSON, Surroundings, opened
from tests.ui.views.samples import NOW, overview, queues, schedule

PATH = "/api/schedules"
ENTERED = {
    "queue": "4",
    "name": "digest",
    "cron": "0 9 * * *",
    "tz": "Europe/Berlin",
    "missed": "skip",
    "kind": "digest",
    "title": "Send the digest",
    "tags": "",
    "max_attempts": "5",
    "source": "schedule",
    "payload": "",
}


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/schedules"
    surroundings.queues = queues(overview("mail", queue_id=4))
    surroundings.answers[PATH] = ScheduleList((schedule(),))
    return surroundings


def refusal(status: int, code: str, message: str, field: str | None = None) -> Response:
    error = {"code": code, "message": message} | ({} if field is None else {"field": field})
    return Response(status, json.dumps({"error": error}), JSON)


def mutations(around: Surroundings) -> list[tuple[str, str, Any]]:
    return [
        (request.method, request.path, json.loads(request.body or "null"))
        for request in around.sent
        if request.csrf_token is not None
    ]


async def test_each_schedule_is_a_row_that_tells_when_it_fires(around: Surroundings) -> None:
    around.answers[PATH] = ScheduleList((schedule(), schedule(8, name="sick", fault="No endpoint drains it.")))
    async with opened(around) as screen:
        assert screen.text("schedules-caption") == "Schedules: 2, 1 set aside."
        table = screen.text("schedules")
        assert "nightly Sweepmail endpoint:research0 2 * * * America/Los_Angeles" in table
        assert "Tue 1 Dec 02:00 PST · 11:00 your timeneveronskipped" in table
        assert "none while it is set asideneverset aside No endpoint drains it. Edit it to set it going." in table


async def test_no_schedule_is_said_and_unknown_ones_are_not_none(around: Surroundings) -> None:
    around.hanging = PATH
    async with opened(around) as screen:
        assert 'aria-busy="true"' in screen.html
        assert not screen.has("schedules-empty")
    around.hanging = ""
    around.answers[PATH] = ScheduleList(())
    async with opened(around) as screen:
        assert screen.text("schedules-empty") == "There are no schedules that you may see."


async def test_a_refresh_that_brings_nothing_new_redraws_nothing_but_the_age(around: Surroundings) -> None:
    async with opened(around) as screen:
        updates = screen.updates
        await screen.pass_time(12)
        assert around.asked.count(PATH) >= 2
        assert screen.updates - updates <= 12  # one sentence a second


async def test_what_others_manage_offers_no_action(around: Surroundings) -> None:
    around.queues = QueuesPage((replace(overview("mail"), manageable=False),))
    async with opened(around) as screen:
        assert "Managed by others." in screen.text("schedules")
        assert not screen.has("trigger-7")


async def test_triggering_makes_one_todo_and_names_it(around: Surroundings) -> None:
    around.answers[f"{PATH}/7/trigger"] = Triggered(812)
    async with opened(around) as screen:
        await screen.click("trigger-7")
        assert screen.text("trigger-7-outcome") == "Todo 812 was made."
        assert mutations(around) == [("POST", f"{PATH}/7/trigger", {})]


async def test_pausing_shows_what_the_server_then_says(around: Surroundings) -> None:
    around.answers[f"{PATH}/7/pause"] = schedule(paused=True)
    async with opened(around) as screen:
        assert screen.text("switch-7") == "Pause schedule nightly"
        await screen.click("switch-7")
        around.answers[PATH] = ScheduleList((schedule(paused=True),))
        await screen.pass_time(4)
        assert screen.text("switch-7-outcome") == "nightly is paused."
        assert screen.text("switch-7") == "Resume schedule nightly"
        assert "none while it is paused" in screen.text("schedules")


async def test_deleting_asks_names_the_schedule_and_leaves_the_focus_on_the_table(around: Surroundings) -> None:
    around.answers[f"{PATH}/7"] = schedule()
    async with opened(around) as screen:
        await screen.click("delete-7")
        assert screen.text("delete-7-dialog-heading") == "Delete schedule nightly?"
        assert "no more todos in queue mail (endpoint:research). Those that it made stay." in screen.text(
            "delete-7-dialog"
        )
        assert mutations(around) == []
        around.answers[PATH] = ScheduleList(())
        await screen.click("delete-7-yes")
        assert mutations(around) == [("DELETE", f"{PATH}/7", {})]
        assert around.focused[-1] == "schedules-caption"
        await screen.pass_time(4)
        assert screen.has("schedules-empty")


async def test_a_refused_action_says_so(around: Surroundings) -> None:
    words = "There is no such schedule that you may manage."
    around.answers[f"{PATH}/7/trigger"] = refusal(404, "not_found", words)
    async with opened(around) as screen:
        await screen.click("trigger-7")
        assert screen.text("trigger-7-outcome") == words


async def test_a_new_schedule_is_made_in_a_chosen_queue(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("new-schedule")
        assert screen.text("schedule-dialog-heading") == "New schedule"
        assert "mail (endpoint:research)" in screen.text("schedule-queue")
        assert screen.element("schedule-tz")["attributes"]["value"] == "Europe/Berlin"
        around.answers[PATH] = schedule(8, name="digest")
        await screen.submit("schedule", **ENTERED)
        assert not screen.has("schedule-dialog")
        assert screen.text("schedule-saved") == "Schedule digest is made."
        assert around.focused[-1] == "new-schedule"
        ((method, path, body),) = mutations(around)
        assert (method, path) == ("POST", PATH)
        assert body == {
            "scope": "endpoint:research",
            "queue": "mail",
            "name": "digest",
            "cron": "0 9 * * *",
            "tz": "Europe/Berlin",
            "missed": "skip",
            "kind": "digest",
            "title": "Send the digest",
            "source": "schedule",
            "tags": [],
            "max_attempts": 5,
            "payload": None,
        }


async def test_a_field_error_of_the_server_stands_at_its_field_and_the_entries_stay(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("new-schedule")
        around.answers[PATH] = refusal(400, "invalid_argument", "This cron expression has 4 fields.", "cron")
        await screen.submit("schedule", **ENTERED)
        assert screen.text("schedule-cron-error") == "Error: This cron expression has 4 fields."
        attributes = screen.element("schedule-cron")["attributes"]
        assert attributes["aria-invalid"] == "true"
        assert attributes["aria-describedby"] == "schedule-cron-hint schedule-cron-error"
        # A value that did not change is not written: the browser keeps what was entered.
        assert attributes["value"] == ""
        assert around.focused[-1] == "schedule-cron"


async def test_what_cannot_be_sent_is_not_sent(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("new-schedule")
        await screen.submit("schedule", **ENTERED | {"queue": ""})
        assert screen.text("schedule-queue-error") == "Error: Choose a queue."
        await screen.submit("schedule", **ENTERED | {"payload": "{"})
        assert screen.text("schedule-payload-error").startswith("Error: Enter JSON, or nothing.")
        assert not screen.has("schedule-queue-error")
        assert mutations(around) == []


async def test_an_edit_carries_the_version_that_was_seen(around: Surroundings) -> None:
    around.answers[f"{PATH}/7"] = schedule(version=4)
    async with opened(around) as screen:
        await screen.click("edit-7")
        assert screen.text("schedule-dialog-heading") == "Edit schedule nightly"
        assert not screen.has("schedule-queue")
        await screen.submit("schedule", **ENTERED)
        ((method, path, body),) = mutations(around)
        assert (method, path, body["version"]) == ("PUT", f"{PATH}/7", 3)
        assert screen.text("schedule-saved") == "Schedule nightly is saved."
        assert around.focused[-1] == "edit-7"


async def test_somebody_elses_change_is_shown_before_it_is_replaced(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("edit-7")
        around.answers[f"{PATH}/7"] = refusal(409, "conflict", "This schedule has been changed since.", "version")
        around.answers[PATH] = ScheduleList((schedule(version=5, cron="30 3 * * *"),))
        await screen.submit("schedule", **ENTERED)
        assert screen.text("schedule-told") == "This schedule has been changed since."
        assert around.focused[-1] == "schedule-save"
        await screen.pass_time(4)
        assert screen.text("schedule-newer") == (
            "Somebody else has changed itWhat stands now:Cron expression30 3 * * *"
            "Saving again replaces that by what you entered."
        )
        assert around.focused[-1] == "schedule-newer"
        around.answers[f"{PATH}/7"] = schedule(version=6)
        await screen.submit("schedule", **ENTERED)
        assert [body["version"] for _, _, body in mutations(around)] == [3, 5]
        assert not screen.has("schedule-dialog")


async def test_an_open_form_outlives_refreshes_and_the_loss_of_its_schedule(around: Surroundings) -> None:
    async with opened(around) as screen:
        await screen.click("edit-7")
        around.answers[PATH] = ScheduleList(())
        await screen.pass_time(12)
        assert screen.has("schedules-empty")
        assert screen.text("schedule-dialog-heading") == "Edit schedule nightly"
        words = "There is no such schedule that you may manage."
        around.answers[f"{PATH}/7"] = refusal(404, "not_found", words)
        await screen.submit("schedule", **ENTERED)
        assert screen.text("schedule-told") == words


@pytest.mark.parametrize("opener", ["new-schedule", "edit-7"])
async def test_a_refresh_redraws_nothing_of_an_open_form(around: Surroundings, opener: str) -> None:
    async with opened(around) as screen:
        await screen.click(opener)
        updates = screen.updates
        await screen.pass_time(12)
        assert screen.updates - updates <= 12  # one sentence a second


async def test_the_last_fire_that_comes_redraws_its_row_alone(around: Surroundings) -> None:
    around.answers[PATH] = ScheduleList((schedule(), schedule(8, name="digest")))
    async with opened(around) as screen:
        around.answers[PATH] = ScheduleList((schedule(last_fired_at=NOW), schedule(8, name="digest")))
        screen.paths.clear()
        await screen.pass_time(12)
        assert len([path for path, tag in screen.paths if tag == "tr"]) == 1
        assert "08:30:00 CET" in screen.text("schedules")
