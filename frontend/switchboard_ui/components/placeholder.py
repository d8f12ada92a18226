"""What stands where data will be: space, and nothing that could be taken for data."""

from __future__ import annotations

from typing import Any

from reactpy import html


def placeholder() -> Any:
    return html.div({"class": "placeholder", "aria-busy": "true"})


def absent(*, loading: bool) -> Any:
    """In place of data that is not there: on its way, or not to be had as the trust line tells."""
    return placeholder() if loading else html.p({"class": "quiet", "id": "not-known"}, "What is there is not known.")
