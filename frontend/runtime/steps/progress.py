"""What a person sees while the build runs: one line for each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console


class Progress:
    """Writes finished lines; on a terminal a spinner shows the step that is under way."""

    def __init__(self, plain: bool) -> None:
        self._console = None if plain or not sys.stdout.isatty() else Console()

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Tell a step when it begins, and how long it took when it ends."""
        began = time.perf_counter()
        if self._console is None:
            self._write(f"runtime: {text} ... ")
        result = "failed"
        try:
            with self._spinner(text):
                yield
            result = f"{time.perf_counter() - began:.1f} s"
        finally:
            self._write(f"{result}\n" if self._console is None else f"runtime: {text} ... {result}\n")

    def note(self, text: str) -> None:
        """Tell a fact."""
        self._write(f"runtime: {text}\n")

    def _spinner(self, text: str) -> AbstractContextManager[object]:
        return nullcontext() if self._console is None else self._console.status(f"runtime: {text}")

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
