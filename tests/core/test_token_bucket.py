"""How often a human may change policies: ten at once, then one a second (SPEC-0030, security)."""

from __future__ import annotations

from switchboard.core.token_bucket import TokenBucket, whole_seconds
from switchboard.http.write_limits import BURST, WRITES_PER_SECOND


def test_ten_at_once_and_then_one_a_second() -> None:
    bucket = TokenBucket.full(WRITES_PER_SECOND, BURST, 100.0)
    assert [bucket.take(100.0) for _ in range(11)] == [0.0] * 10 + [1.0]
    assert bucket.take(100.75) == 0.25
    assert bucket.take(101.0) == 0.0
    assert bucket.take(101.5) == 0.5
    taken = [second for second in range(102, 202) for _ in range(3) if bucket.take(float(second)) == 0.0]
    assert taken == list(range(102, 202))


def test_after_a_rest_there_are_ten_again_and_never_more() -> None:
    bucket = TokenBucket.full(WRITES_PER_SECOND, BURST, 0.0)
    for _ in range(10):
        bucket.take(0.0)
    assert not bucket.is_full(9.0)
    assert bucket.is_full(10.0)
    assert [bucket.take(3600.0) for _ in range(11)] == [0.0] * 10 + [1.0]


def test_a_clock_that_steps_back_gives_nothing() -> None:
    bucket = TokenBucket.full(WRITES_PER_SECOND, BURST, 50.0)
    for _ in range(10):
        bucket.take(50.0)
    assert bucket.take(40.0) == 1.0


def test_retry_after_is_rounded_up_and_at_least_a_second() -> None:
    assert [whole_seconds(wait) for wait in (0.01, 1.0, 1.01, 7.5)] == [1, 1, 2, 8]
