"""The pages of the statistics and of what serves them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from switchboard_ui.core.zoned_time import ZONE_DATA
from switchboard_wire.reads import BackendIdentity, Capabilities, FilterProtocol, ReadLimits
from switchboard_wire.session import Session, SessionHuman
from switchboard_wire.statistics import (
    KindCount,
    Kinds,
    Minute,
    Series,
    StateCount,
    Statistics,
    Storage,
    TableStorage,
    Throughput,
)
from switchboard_wire.todo import TodoState
from tests.ui.pages.screen import Screen, Surroundings, opened
from tests.ui.views.samples import NOW

OPERATOR = Session(SessionHuman(1, "ada", True), "csrf-of-ada")
SERIES = Series(
    (
        Minute(NOW, None, None, None, None, None),
        Minute(NOW + timedelta(minutes=1), 40, 30, 0, 1_500, 90_000),
        Minute(NOW + timedelta(minutes=2), 10, 8, 1, None, None),
    )
)


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/statistics"
    surroundings.answers |= {
        "/api/stats": Statistics(
            (StateCount(TodoState.PENDING, 10_000, True), StateCount(TodoState.DONE, 12, False)),
            10_000,
            NOW - timedelta(hours=3),
            Throughput(1200, 1180, 0, None),
        ),
        "/api/stats/timeseries": SERIES,
        "/api/kinds": Kinds((KindCount("mail", 7),), truncated=False),
        "/api/storage": Storage(
            "18.0",
            123_456_789,
            12,
            100,
            None,
            (TableStorage("attempts", None, 81_920, 16_384, None, None, None),),
        ),
    }
    return surroundings


def fact(screen: Screen, name: str) -> str:
    return screen.html.split(f"<dt>{name}</dt><dd>")[1].split("</dd>")[0]


async def test_capped_counts_say_so_and_what_is_not_known_is_not_zero(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert "10,000 or more" in fact(screen, "pending")
        assert 'href="/jobs?state=pending"' in fact(screen, "pending")
        assert fact(screen, "Failed") == "0"
        assert fact(screen, "Lapsed") == "unknown: attempts of that time are not all kept any more"
        assert "05:30:00 CET" in fact(screen, "Oldest waiting since")


async def test_throughput_is_drawn_with_its_gaps_and_said_in_words(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("chart-0-heading") == "Claimed a minute"
        assert screen.text("chart-0-summary") == (
            "Most: 40, at 08:31 CET. This minute so far: 10. 1 of 3 minutes have no figure."
        )
        assert "08:30 CETunknown" in screen.text("chart-0")
        chart = screen.html.split('id="chart-0"')[1].split("</svg>")[0]
        assert 'class="unknown" x="111" y="0.0" width="8" height="100.0"' in chart
        assert 'class="known" x="121" y="0.0" width="8" height="100.0"' in chart
        assert 'class="unfinished" x="131" y="75.0" width="8" height="25.0"' in chart


async def test_waiting_is_told_in_durations(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("chart-4-summary") == "Most: 1 min 30 s, at 08:31 CET. 2 of 3 minutes have no figure."
        assert "08:32 CETunknown" in screen.text("chart-4")


async def test_storage_is_read_for_instance_operators_alone(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert screen.text("operators-only") == "What the database holds is shown to instance operators."
        assert "/api/storage" not in around.asked
    around.answers["/api/session"] = OPERATOR
    async with opened(around) as screen:
        assert fact(screen, "Database") == "117.7 MiB"
        assert fact(screen, "Connections") == "12 of 100"
        assert fact(screen, "Oldest snapshot") == "none is held"
        assert "attemptsnever analyzed0.1 MiB0.0 MiBunknownnevernever" in screen.text("tables")


async def test_nothing_is_shown_as_nothing_while_it_is_not_known(around: Surroundings) -> None:
    around.status = 503
    async with opened(around) as screen:
        assert "There are no todos of any kind." not in screen.html
        assert "nothing waits" not in screen.html
        assert not screen.has("chart-0")


async def test_a_refresh_that_brings_nothing_new_redraws_nothing_but_the_age(around: Surroundings) -> None:
    async with opened(around) as screen:
        screen.paths.clear()
        await screen.pass_time(40)
        assert {tag for _, tag in screen.paths} <= {"p"}


def capabilities(zone_data: str) -> Capabilities:
    return Capabilities(
        release="0.2.0",
        zone_database=zone_data,
        read_only=False,
        backend=BackendIdentity("p-1", "d-1"),
        job_filter_protocols={"jobs": FilterProtocol("/api/v1/jobs/query", (1,))},
        limits=ReadLimits(15_000, 5_000, 2_000, 65_536, 1_000),
    )


async def test_about_tells_the_limits_in_force_on_both_sides(around: Surroundings) -> None:
    around.address = "/about"
    around.answers["/api/capabilities"] = capabilities(ZONE_DATA)
    async with opened(around) as screen:
        assert fact(screen, "Release") == "0.2.0"
        assert fact(screen, "Filters") == "/api/v1/jobs/query (version 1)"
        assert fact(screen, "A read in all") == "15 s"
        assert fact(screen, "A body") == "64 KiB"
        assert fact(screen, "Unannounced changes show after at most") == "33 s"
        assert screen.text("zones") == f"Server and tab know the same zone data, {ZONE_DATA}."


async def test_about_tells_when_server_and_tab_have_different_zone_data(around: Surroundings) -> None:
    around.address = "/about"
    around.answers["/api/capabilities"] = capabilities("2019a")
    async with opened(around) as screen:
        assert screen.text("zones").startswith(f"The server's zone data is 2019a, this tab's {ZONE_DATA}:")
