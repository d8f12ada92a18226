"""The backoff doubles from 30 seconds to 15 minutes."""

from __future__ import annotations

import pytest

from switchboard.core.retry import backoff

BACKOFFS = {1: 30, 2: 60, 3: 120, 4: 240, 5: 480, 6: 900, 7: 900, 10: 900, 100: 900, 10**9: 900}


@pytest.mark.parametrize(("attempt", "seconds"), BACKOFFS.items())
def test_the_wait_after_an_attempt(attempt: int, seconds: int) -> None:
    assert backoff(attempt).total_seconds() == seconds
