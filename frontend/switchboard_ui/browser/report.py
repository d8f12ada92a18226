"""Errors, told to the browser's console in a form that a person can read."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import js

# A component that fails at each refresh fails with the same text each time.
_MOST_REMEMBERED = 200
_reported: set[str] = set()


class _ConsoleHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        report(self.format(record))


def report(text: str) -> None:
    """Write `text` to console.error, once however often it happens."""
    if text not in _reported and len(_reported) < _MOST_REMEMBERED:
        _reported.add(text)
        js.console.error(f"Switchboard: {text}")


def report_everything() -> None:
    """Send what the loop and the loggers have to complain about to `report`."""
    handler = _ConsoleHandler(logging.ERROR)
    logging.getLogger().addHandler(handler)
    # ReactPy prints its log to standard output, whatever the level.
    reactpy = logging.getLogger("reactpy")
    reactpy.handlers.clear()
    reactpy.setLevel(logging.WARNING)
    asyncio.get_event_loop().set_exception_handler(_on_loop_exception)


def _on_loop_exception(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    message = context.get("message") or "A task failed and nobody looked"
    logging.getLogger(__name__).error(message, exc_info=error)
