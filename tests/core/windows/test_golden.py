"""Windows over odd transitions, written out.

The instants were worked out by hand from the transitions that zdump prints for the bundled files, and then found again
by reading the same files with GNU date at every minute. The note says what the clock does there.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from switchboard.core.windows import Interval, next_boundary, window_at
from switchboard_wire.policy import Period, Weekday, Window

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))


def declared(window: dict[str, str]) -> Window:
    weekday = Weekday(window["weekday"]) if "weekday" in window else None
    return Window(Period(window["period"]), window["tz"], window["start"], weekday)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden(case: dict[str, Any]) -> None:
    window = declared(case["window"])
    boundaries = [datetime.fromisoformat(text) for text in case["boundaries"]]
    assert len(boundaries) >= 2
    for start, end in pairwise(boundaries):
        for instant in (start, start + (end - start) / 2, end - timedelta(microseconds=1)):
            assert window_at(window, instant) == Interval(start, end)
            assert next_boundary(window, instant) == end


def test_names_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
