"""switchboard queue budget show|set|clear, over the operator API (REQ-10)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import asyncpg
import pytest

from .conftest import Command

LANE = ("endpoint:research", "lane")


async def test_a_budget_is_set_shown_and_cleared(switchboard: Command, sql: asyncpg.Connection) -> None:
    done = switchboard(
        "queue", "budget", "set", *LANE, "--in-flight", "3", "--claims", "100",
        "--zone", "America/Los_Angeles", "--start", "06:30",
    )  # fmt: skip
    assert done.status == 0
    assert done.out.startswith(
        "endpoint:research lane: admitted; 0 of 100 used this day (America/Los_Angeles 06:30), resets at "
    )
    assert done.out.endswith("; 0 of 3 in flight\n")
    row = await sql.fetchrow("select * from switchboard.policies")
    assert (row["max_in_flight"], row["max_claims_per_window"], row["window_tz"]) == (3, 100, "America/Los_Angeles")

    shown = switchboard("queue", "budget", "show", *LANE)
    first, record = shown.out.splitlines()
    assert (shown.status, first + "\n") == (0, done.out)
    assert record.endswith("  create by ada")
    view = switchboard("queue", "budget", "show", *LANE, "--json").json
    assert view["admission"]["policy"] == {
        "max_in_flight": 3,
        "max_claims_per_window": 100,
        "window": {"period": "day", "tz": "America/Los_Angeles", "start": "06:30", "weekday": None},
    }
    assert [one["action"] for one in view["audit"]] == ["create"]

    paused = switchboard("queue", "budget", "set", *LANE, "--in-flight", "0", "--json")
    assert paused.json["admission"]["status"]["reason"] == "paused"
    everything = switchboard("queue", "budget", "show")
    assert everything.out.splitlines() == [
        "endpoint:research a/b: no policy, 0 in flight",
        "endpoint:research lane: deferred: paused; 0 of 0 in flight",
    ]
    listed = switchboard("queue", "budget", "show", "--json").json
    assert [one["queue"] for one in listed["queues"]] == ["a/b", "lane"]

    assert switchboard("queue", "budget", "clear", *LANE).out == "Cleared.\n"
    assert switchboard("queue", "budget", "clear", *LANE).out == "There was no policy.\n"
    assert await sql.fetchval("select count(*) from switchboard.policies") == 0


def test_a_weekly_budget_of_a_queue_with_a_slash(switchboard: Command) -> None:
    done = switchboard(
        "queue", "budget", "set", "endpoint:research", "a/b", "--claims", "5", "--period", "week", "--weekday", "Mon",
    )  # fmt: skip
    assert done.out.startswith("endpoint:research a/b: admitted; 0 of 5 used this week (UTC Mon 00:00), resets at ")
    assert switchboard("queue", "budget", "clear", "endpoint:research", "a/b").status == 0


async def test_a_budget_that_cannot_be_evaluated_says_why(switchboard: Command, sql: asyncpg.Connection) -> None:
    switchboard("queue", "budget", "set", *LANE, "--claims", "5")
    await sql.execute("update switchboard.policies set window_tz = 'Mars/Olympus'")
    line = switchboard("queue", "budget", "show", *LANE).out.splitlines()[0]
    assert line.startswith("endpoint:research lane: unavailable (window.tz: 'Mars/Olympus' is not a zone")
    switchboard("queue", "budget", "clear", *LANE)


@pytest.mark.parametrize(
    ("arguments", "environment", "sentence"),
    [
        (["set", *LANE], {}, "max_in_flight: Set at least one of max_in_flight and max_claims_per_window."),
        (["set", *LANE, "--claims", "5", "--zone", "Mars/Olympus"], {}, "window.tz: 'Mars/Olympus' is not a zone"),
        (["set", *LANE, "--claims", "5", "--start", "24:00"], {}, "window.start: "),
        (["set", *LANE, "--claims", "5", "--period", "month"], {}, "window.period: Give one of: hour, day, week."),
        (["set", *LANE, "--in-flight", "10001"], {}, "max_in_flight: Give a whole number from 0 to 10000."),
        (["show", "endpoint:research", "none"], {}, "There is no such queue that you may manage."),
        (["show", "endpoint:research"], {}, "queue: Give the queue's name too."),
        (["show"], {"SWITCHBOARD_TOKEN": "sbo_wrong"}, "Send an operator token"),
        (["show"], {"SWITCHBOARD_TOKEN": None}, "token: Give --token or SWITCHBOARD_TOKEN"),
        (["show"], {"SWITCHBOARD_TOKEN": "sbo_\xe9\U0001f600"}, ""),
        (["show"], {"SWITCHBOARD_URL": "http://127.0.0.1:1"}, "http://127.0.0.1:1 does not answer"),
        (["show"], {"SWITCHBOARD_URL": "ftp://127.0.0.1"}, "ftp://127.0.0.1 does not answer"),
        (["show"], {"SWITCHBOARD_URL": "http://[::bad"}, ""),
        (["show"], {"SWITCHBOARD_URL": "http://127.0.0.1:99999"}, ""),
    ],
)
def test_what_is_refused_is_one_sentence_and_status_1(
    switchboard: Command, arguments: list[str], environment: dict[str, str | None], sentence: str
) -> None:
    done = switchboard.here("queue", "budget", *arguments, **environment)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(sentence)
    assert len(done.err.splitlines()) == 1


def test_address_and_token_may_lie_in_the_data_folder(switchboard: Command, tmp_path: Path) -> None:
    stored = {
        "url": switchboard.environment["SWITCHBOARD_URL"],
        "token": switchboard.environment["SWITCHBOARD_TOKEN"],
    }
    (tmp_path / "cli.json").write_text(json.dumps(stored))
    done = switchboard("queue", "budget", "show", "--data", str(tmp_path), SWITCHBOARD_URL=None, SWITCHBOARD_TOKEN=None)
    assert (done.status, len(done.out.splitlines())) == (0, 2)


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """Something at an address that is not Switchboard."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


OTHERS = {
    "a page": (200, b"<!doctype html><title>Welcome</title>"),
    "a gateway's page": (502, b"<html>Bad Gateway</html>"),
    "nothing": (200, b""),
    "bytes": (200, b"\xff\xfe\xfd"),
    "another API": (200, b'{"items":[]}'),
    "a list": (200, b"[]"),
    "another API's error": (404, b'{"error":"not found"}'),
    "a list as an error": (500, b"[1]"),
    "a code of a newer release": (409, b'{"error":{"code":"quota_frozen","message":"The quota is frozen."}}'),
}


@pytest.mark.parametrize(("status", "body"), OTHERS.values(), ids=OTHERS.keys())
def test_what_answers_like_something_else_is_told_so(switchboard: Command, status: int, body: bytes) -> None:
    with answering(status, body) as url:
        done = switchboard.here("queue", "budget", "show", SWITCHBOARD_URL=url)
    assert (done.status, done.out) == (1, "")
    assert len(done.err.splitlines()) == 1
