"""Where a cluster and the files that go with it are kept.

Usually all of it is in the data folder. When we are root and the unprivileged user that runs PostgreSQL cannot get
there (a clone in /root), it is in a folder of its own below /var/lib/switchboard, and the data folder has a link.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import rmtree

from .account import Account
from .errors import EmbeddedPostgresError
from .system_folder import make_system_folder

LINK = "postgres"
_log = logging.getLogger("switchboard.embedded")


@dataclass(frozen=True)
class Home:
    """The places of one cluster: the folder PostgreSQL calls its data directory, and ours beside it."""

    cluster: Path
    folder: Path

    @property
    def start_lock(self) -> Path:
        return self.folder / "postgres.start.lock"

    @property
    def attached_lock(self) -> Path:
        return self.folder / "postgres.lock"

    @property
    def alive_lock(self) -> Path:
        return self.folder / "postgres.alive.lock"

    @property
    def password_file(self) -> Path:
        return self.folder / "postgres.password"

    @property
    def port_file(self) -> Path:
        return self.folder / "postgres.port"

    @property
    def unfinished(self) -> Path:
        """Where a cluster is made, before it is moved to its place."""
        return self.folder / "postgres.new"

    @property
    def log(self) -> Path:
        return self.cluster / "log"

    @property
    def made(self) -> bool:
        """Whether there is a cluster; it got its name only when it was whole."""
        return (self.cluster / "PG_VERSION").is_file()

    def remove(self, data_dir: Path) -> None:
        """Delete the cluster and all that goes with it; the data folder itself stays."""
        for path in (self.cluster, self.unfinished):
            rmtree(path, ignore_errors=True)
        for path in (self.password_file, self.port_file, self.alive_lock, self.attached_lock, self.start_lock):
            path.unlink(missing_ok=True)
        if self.folder != data_dir:
            (data_dir / LINK).unlink(missing_ok=True)
            with suppress(OSError):
                self.folder.rmdir()


def existing_home(data_dir: Path, system_folder: Path) -> Home | None:
    """The home that `data_dir` has, or None when nothing was kept for it yet.

    Raises EmbeddedPostgresError when its link leads nowhere: a fresh database must not quietly replace a lost one.
    """
    link = data_dir / LINK
    if not link.is_symlink():
        return Home(link, data_dir) if link.exists() else None
    cluster = link.resolve()
    if cluster.parent.parent == system_folder.resolve():
        if cluster.parent.is_dir():
            return Home(cluster, cluster.parent)
    elif cluster.is_dir():  # a link that the owner made, to another disk say
        return Home(cluster, data_dir)
    raise EmbeddedPostgresError(
        f"The database of {data_dir} was kept in {cluster}, which is gone: put it back, or remove the link {link} to "
        "start with an empty database."
    )


def new_home(data_dir: Path, system_folder: Path, account: Account) -> Home:
    """A home for a cluster that `account` will run: in `data_dir` if it gets there, else in `system_folder`.

    Processes that call this at once get the same answer. Raises EmbeddedPostgresError or OSError.
    """
    if account.can_enter(data_dir):
        return Home(data_dir / LINK, data_dir)
    make_system_folder(system_folder)
    if not account.can_enter(system_folder):
        raise EmbeddedPostgresError(
            f"PostgreSQL would run as the user {account.name}, who can enter neither {data_dir} nor {system_folder}: "
            "let others enter one of them (chmod o+x), run Switchboard as an ordinary user, or set "
            "SWITCHBOARD_DATABASE_URL."
        )
    folder = next(_free_folders(data_dir, system_folder))
    try:
        (data_dir / LINK).symlink_to(folder / LINK)
    except FileExistsError:
        home = existing_home(data_dir, system_folder)
        if home is None:
            raise
        if home.folder != folder.resolve():
            with suppress(OSError):
                folder.rmdir()
        return home
    return Home(folder.resolve() / LINK, folder.resolve())


def _free_folders(data_dir: Path, system_folder: Path) -> Iterator[Path]:
    """Folders of this data folder's name that hold nothing, made.

    One that holds something was left when the data folder was deleted, or belongs to it under the name that it was
    moved to: it is neither used, since the old data would come back, nor deleted, since it may be in use.
    """
    name = sha256(str(data_dir).encode()).hexdigest()[:16]
    for number in count(1):
        folder = system_folder / (name if number == 1 else f"{name}-{number}")
        if _made_empty(folder):
            yield folder
        else:
            _log.warning("%s holds the database of an earlier %s: remove it if nobody needs it", folder, data_dir)


def _made_empty(folder: Path) -> bool:
    """Makes it if it is not there, and tells whether it is empty."""
    while True:
        with suppress(FileExistsError):
            folder.mkdir()
        # Gone again: another starter made it too, found its home elsewhere, and took it away.
        with suppress(FileNotFoundError):
            empty = not any(folder.iterdir())
            if empty:
                folder.chmod(0o711)
            return empty
