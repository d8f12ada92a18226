"""What stands where data will be: space, and nothing that could be taken for data."""

from __future__ import annotations

from typing import Any

from reactpy import html


def placeholder() -> Any:
    return html.div({"class": "placeholder", "aria-busy": "true"})
