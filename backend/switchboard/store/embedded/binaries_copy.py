"""A copy of PostgreSQL that every user can read, for a root whose site-packages nobody else may enter."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from .binaries import Binaries
from .errors import EmbeddedPostgresError, disk_full
from .locks import wait_exclusive
from .system_folder import make_system_folder

_COPY_SECONDS = 120.0
# What an installation holds beside a server: headers, static libraries, build files.
_NOT_COPIED = shutil.ignore_patterns("include", "*.a", "pkgconfig", "pgxs", "doc", "__pycache__")


def copied(original: Binaries, system_folder: Path) -> Binaries:
    """The same installation inside `system_folder`, copied there unless it was before.

    However many servers start at once, one copies, and a copy appears under its name only when it is whole. Raises
    EmbeddedPostgresError when it cannot be copied.
    """
    target = system_folder / f"binaries-{original.label}"
    # The programs find their libraries by a path relative to their own: keep the shape of site-packages.
    copy = replace(
        original,
        prefix=target / original.prefix.parent.name / original.prefix.name,
        libraries=target / original.libraries.name if original.libraries else None,
    )
    if target.is_dir():
        return copy
    make_system_folder(system_folder)
    lock = wait_exclusive(system_folder / "binaries.lock", _COPY_SECONDS)
    if lock is None:
        raise EmbeddedPostgresError(f"Another process has been copying PostgreSQL into {system_folder} for too long.")
    with lock:
        if not target.is_dir():
            _copy(original, copy, target, system_folder / "binaries.new")
    return copy


def _copy(original: Binaries, copy: Binaries, target: Path, unfinished: Path) -> None:
    shutil.rmtree(unfinished, ignore_errors=True)  # of a copy that was killed: the lock says that nobody is at it
    try:
        _copy_tree(original.prefix, unfinished / copy.prefix.relative_to(target))
        if original.libraries and copy.libraries:
            _copy_tree(original.libraries, unfinished / copy.libraries.relative_to(target))
        for folder, _, files in os.walk(unfinished):
            Path(folder).chmod(0o755)
            for file in (Path(folder, name) for name in files):
                # Whatever the umask was when the wheel was installed. Links need no mode and must not be followed.
                if not file.is_symlink():
                    file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
        os.sync()  # or a power loss leaves empty files under the final name
        unfinished.rename(target)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        full = f" The disk that holds {target.parent} is full." if disk_full(target.parent) else ""
        raise EmbeddedPostgresError(f"PostgreSQL could not be copied to {target}: {error}.{full}") from error


def _copy_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=_NOT_COPIED, symlinks=True)
