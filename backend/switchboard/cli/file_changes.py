"""Which files have changed, found by looking."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_LEFT_OUT = {"__pycache__", "build", "dist", "node_modules"}


class FileChanges:
    """Watches the files with these suffixes in folders and all below them."""

    def __init__(self, folders: Iterable[Path], suffixes: Iterable[str]) -> None:
        self._folders = tuple(folders)
        self._suffixes = frozenset(suffixes)
        self._known = self._look()

    def since_last_time(self) -> list[Path]:
        """What was added, written or removed since the last call, or since the beginning."""
        before, self._known = self._known, self._look()
        return sorted(path for path in before.keys() | self._known if before.get(path) != self._known.get(path))

    def _look(self) -> dict[Path, tuple[int, int]]:
        found = {}
        waiting = list(self._folders)
        while waiting:
            for path in waiting.pop().iterdir():
                if path.is_dir():
                    if path.name not in _LEFT_OUT:
                        waiting.append(path)
                elif path.suffix in self._suffixes:
                    try:
                        stat = path.stat()
                    except FileNotFoundError:  # an editor's file that was there for a moment
                        continue
                    found[path] = (stat.st_mtime_ns, stat.st_size)
        return found
