"""The page of the workers."""

from __future__ import annotations

from datetime import timedelta

import pytest

from switchboard_wire.workers import Workers, WorkerState, WorkerView
from tests.ui.pages.screen import Surroundings, opened
from tests.ui.views.samples import NOW

PATH = "/api/workers"


def worker(name: str, state: WorkerState = WorkerState.LIVE, in_flight: int = 0) -> WorkerView:
    lease = NOW + timedelta(minutes=5) if in_flight else None
    return WorkerView("agents", name, state, NOW, in_flight, lease)


@pytest.fixture
def around() -> Surroundings:
    surroundings = Surroundings()
    surroundings.address = "/workers"
    surroundings.answers[PATH] = Workers((worker("w-1", in_flight=2), worker("w-2", WorkerState.SILENT)), False)
    return surroundings


async def test_each_worker_is_a_row_with_its_evidence(around: Surroundings) -> None:
    async with opened(around) as screen:
        assert "1 live, 1 silent" in screen.text("workers-caption")
        assert "w-1agentslive" in screen.text("workers")
        assert "w-2agentssilent" in screen.text("workers")


async def test_no_worker_is_said_and_unknown_workers_are_not_none(around: Surroundings) -> None:
    around.hanging = PATH
    async with opened(around) as screen:
        assert "No worker" not in screen.html
        assert 'aria-busy="true"' in screen.html
    around.hanging = ""
    around.answers[PATH] = Workers((), False)
    async with opened(around) as screen:
        assert "No worker has been seen yet." in screen.text("workers-empty")


async def test_a_refresh_that_brings_nothing_new_redraws_nothing_but_the_age(around: Surroundings) -> None:
    async with opened(around) as screen:
        updates = screen.updates
        await screen.pass_time(12)
        assert around.asked.count(PATH) >= 3
        assert screen.updates - updates <= 12  # one sentence a second


async def test_a_changed_worker_redraws_its_row_alone(around: Surroundings) -> None:
    async with opened(around) as screen:
        around.answers[PATH] = Workers((worker("w-1", in_flight=3), worker("w-2", WorkerState.SILENT)), False)
        screen.paths.clear()
        await screen.pass_time(6)
        rows = [path for path, tag in screen.paths if tag == "tr"]
        assert len(rows) == 1
        assert "w-1agentslive" in screen.text("workers")
