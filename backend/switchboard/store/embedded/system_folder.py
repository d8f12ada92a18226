"""The folder for what root keeps where an unprivileged user can reach it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkdtemp

from .errors import EmbeddedPostgresError

SYSTEM_FOLDER = Path("/var/lib/switchboard")


def make_system_folder(folder: Path) -> None:
    """Make `folder` if it is missing, enterable by all whatever the umask; one that exists is left as it is.

    Raises EmbeddedPostgresError when it cannot be made.
    """
    if folder.is_dir():
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # It gets its name only when it has its mode: another server may be waiting to use it.
        unfinished = Path(mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
        unfinished.chmod(0o755)
        try:
            os.rename(unfinished, folder)
        except OSError:
            unfinished.rmdir()
            if not folder.is_dir():
                raise
    except OSError as error:
        raise EmbeddedPostgresError(
            f"PostgreSQL refuses to run as root, its unprivileged user cannot reach your folder, and {folder} cannot "
            f"be made for it ({error.strerror}): run Switchboard as an ordinary user, give it a data folder that "
            "others can enter, or set SWITCHBOARD_DATABASE_URL."
        ) from error
