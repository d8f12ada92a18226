"""switchboard schedule, over the operator API of a running server."""

from __future__ import annotations

import asyncpg

from .conftest import Command

LANE = ("endpoint:research", "lane")


async def test_a_schedule_is_added_listed_paused_triggered_and_removed(
    switchboard: Command, sql: asyncpg.Connection
) -> None:
    added = switchboard(
        "schedule", "add", *LANE, "nightly", "--cron", "30 2 * * *", "--zone", "America/New_York",
        "--payload", '{"n": 1}', "--json",
    )  # fmt: skip
    assert added.status == 0, added.err
    made = added.json
    assert (made["name"], made["title"], made["payload"], made["tz"]) == (
        "nightly",
        "nightly",
        {"n": 1},
        "America/New_York",
    )
    one = str(made["id"])
    line = f"{one} endpoint:research lane nightly: 30 2 * * * (America/New_York), "
    assert switchboard("schedule", "list").out.startswith(f"{line}next at 20")
    assert switchboard("schedule", "pause", one).out == f"{line}paused\n"
    assert switchboard("schedule", "resume", one).out.startswith(f"{line}next at 20")
    triggered = switchboard("schedule", "trigger", one)
    todo_id = int(triggered.out.removeprefix("Todo ").removesuffix(".\n"))
    row = await sql.fetchrow("select title, kind, payload from switchboard.todos where id = $1", todo_id)
    assert tuple(row) == ("nightly", "scheduled", '{"n": 1}')
    assert switchboard("schedule", "list", "--json").json["schedules"][0]["id"] == made["id"]
    assert switchboard("schedule", "remove", one).out == "Removed nightly.\n"
    assert switchboard("schedule", "list").out == ""


def test_a_schedule_is_shown_whole_and_edited_in_part(switchboard: Command) -> None:
    made = switchboard(
        "schedule", "add", *LANE, "weekly", "--cron", "0 9 * * 1", "--payload", '{"n": 1}', "--json"
    ).json  # fmt: skip
    one = str(made["id"])
    edited = switchboard("schedule", "edit", one, "--cron", "0 10 * * 1", "--zone", "Europe/Berlin", "--json").json
    assert (edited["cron"], edited["tz"], edited["payload"], edited["version"]) == (
        "0 10 * * 1",
        "Europe/Berlin",
        {"n": 1},
        2,
    )
    shown = switchboard("schedule", "show", one).out
    assert shown.startswith(f"{one} endpoint:research lane weekly: 0 10 * * 1 (Europe/Berlin), next at 20")
    assert '\n  payload: {"n": 1}\n' in shown
    assert "\n  last fired: never\n" in shown
    assert switchboard("schedule", "edit", one, "--payload", "null", "--json").json["payload"] is None
    stale = switchboard("schedule", "edit", one, "--title", "Other", "--version", "1")
    assert stale.status == 1
    assert stale.err.startswith("version: ")
    assert switchboard("schedule", "show", "999999").err == "There is no such schedule that you may see.\n"
    switchboard("schedule", "remove", one)


def test_what_cannot_be_is_one_sentence(switchboard: Command) -> None:
    for arguments, sentence in (
        (("add", *LANE, "x", "--cron", "61 * * * *"), "cron: "),
        (("add", *LANE, "x", "--cron", "0 0 * * *", "--zone", "Mars/Olympus"), "tz: "),
        (("add", *LANE, "x", "--cron", "0 0 * * *", "--payload", "{"), "payload: This is not JSON: "),
        (("add", "endpoint:none", "q", "x", "--cron", "0 0 * * *"), "There is no such queue that you may manage."),
        (("trigger", "999999"), "There is no such schedule that you may manage."),
    ):
        done = switchboard("schedule", *arguments)
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith(sentence)
        assert len(done.err.splitlines()) == 1
