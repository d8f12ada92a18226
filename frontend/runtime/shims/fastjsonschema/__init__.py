"""ReactPy compiles a schema at import and uses it only in its debug mode, which the tab does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def compile(schema: dict[str, Any]) -> Callable[[Any], Any]:  # noqa: A001 - the name that ReactPy imports
    """Give a validator that refuses to run."""

    def validate(value: Any) -> Any:
        raise RuntimeError("JSON schemas are not checked in the tab: ReactPy's debug mode stays off there")

    return validate
