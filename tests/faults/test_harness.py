"""D36: in the place of a race detector stands this harness. It runs in CI, and it hears what asyncio complains of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import DEBUGGING
from tests.faults.ground import assert_quiet

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/faults", "tests/concurrency", "tests/service")
# Run by the servers' own interpreter settings: what a coroutine that nobody awaits leaves behind.
_FORGETFUL = """
import asyncio, gc, uvloop
async def forgotten():
    pass
async def main():
    print(asyncio.get_running_loop().get_debug())
    forgotten()
    task = asyncio.create_task(asyncio.wait_for(asyncio.get_running_loop().create_future(), None))
    del task
    gc.collect()
with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main())
"""


class Logged:
    """A server, as far as its log goes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def log(self) -> str:
        return self._text


def logged(text: str) -> Any:
    return Logged(text)


def test_ci_runs_every_folder_of_the_harness_in_its_fast_form(pytestconfig: pytest.Config) -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ntest:")[2].partition("\n\n")[0]
    assert [line for line in recipe.splitlines() if re.search(r"-m pytest .*\btests$", line)] != []
    assert all(any((ROOT / folder).glob("test_*.py")) for folder in FOLDERS)
    assert "tests" in pytestconfig.getini("testpaths")
    assert "not slow" in pytestconfig.getini("addopts")


def test_what_is_left_unawaited_or_unraisable_in_a_test_is_an_error(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getini("filterwarnings") == ["error"]


def test_the_servers_run_in_asyncios_debug_mode_and_what_they_complain_of_fails_a_test() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FORGETFUL], env=os.environ | DEBUGGING, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
    assert "coroutine 'forgotten' was never awaited" in done.stderr
    with pytest.raises(AssertionError, match="never awaited"):
        assert_quiet(logged(done.stderr))


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "Task exception was never retrieved",
        '{"event": "internal_error", "level": "error"}',
        '{"event": "sweep_crashed", "level": "error"}',
        "x.py:1: ResourceWarning: unclosed <socket.socket>",
    ],
)
def test_a_complaint_in_a_servers_log_fails_the_test_and_a_slow_machine_does_not(line: str) -> None:
    assert_quiet(logged("Executing <Task> took 0.120 seconds\n"))
    with pytest.raises(AssertionError, match="of a server's log"):
        assert_quiet(logged(f"Executing <Task> took 0.120 seconds\n{line}\n"))
