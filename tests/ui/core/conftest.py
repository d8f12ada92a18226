"""What every test of the page's core leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .fakes import FakeFetch


@pytest.fixture(autouse=True)
def _networks_that_can_end() -> Iterator[None]:
    """A request that ignores its abort would outlive a failed test and hang the loop's end."""
    yield
    for fetch in FakeFetch.made:
        fetch.ignores_aborts = False
    FakeFetch.made.clear()
