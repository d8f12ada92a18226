"""Who runs PostgreSQL: ourselves, or, since it refuses to run as root, an unprivileged user when we are root."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import EmbeddedPostgresError

# The system's own user for databases first; nobody exists everywhere. We never add a user.
_CANDIDATES = ("postgres", "nobody")

# What programs of PostgreSQL get to see. Not the rest: PG* variables would redirect them, a locale would translate
# messages this package reads, and secrets in our environment are none of the unprivileged user's business.
_PASSED_ON = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH")


@dataclass(frozen=True)
class Account:
    """The user that owns a cluster and runs its programs; `foreign` when that is not the user we are."""

    uid: int
    gid: int
    name: str
    foreign: bool

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        text: str | None = None,
        pass_fds: Collection[int] = (),
        icu: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end as this user, in a session of its own so that no Ctrl-C of our terminal reaches it.

        `text` is its standard input, empty by default. Raises EmbeddedPostgresError if it cannot be run at all;
        its exit code is the caller's.
        """
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"LC_ALL": "C", "TZ": "UTC"} | ({"ICU_DATA": str(icu)} if icu else {})
        try:
            return subprocess.run(
                [str(word) for word in argv],
                input=text or "",
                capture_output=True,
                check=False,
                encoding="utf-8",
                errors="replace",
                cwd="/",  # ours may be one that the user cannot enter
                env=environment,
                start_new_session=True,
                umask=0o077,
                pass_fds=tuple(pass_fds),
                user=self.uid if self.foreign else None,
                group=self.gid if self.foreign else None,
                extra_groups=() if self.foreign else None,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise EmbeddedPostgresError(f"{argv[0]} could not be run as the user {self.name}: {error}.") from error

    def can_enter(self, folder: Path) -> bool:
        """Whether this user gets into `folder`: asked of the kernel as that user, since modes alone do not tell."""
        return not self.foreign or self.run(["/bin/sh", "-c", 'cd -- "$1"', "sh", folder]).returncode == 0

    def give(self, path: Path | int) -> None:
        """Make this user the owner of a file or folder that we have just made."""
        if self.foreign:
            os.chown(path, self.uid, self.gid)


def account_for(cluster: Path) -> Account:
    """Who runs the cluster: its owner where it exists, else ourselves or, for root, an unprivileged system user.

    Raises EmbeddedPostgresError where that cannot be: another user's cluster, one that root owns, or a root that may
    not become another user.
    """
    me = os.geteuid()
    try:
        owner = os.stat(cluster)
    except FileNotFoundError:
        return Account(me, os.getegid(), _name(me), foreign=False) if me else _unprivileged()
    if owner.st_uid == 0:
        raise EmbeddedPostgresError(
            f"{cluster} belongs to root, as whom PostgreSQL refuses to run: give it, with all that is in it, to the "
            "user that is to run it (chown -R)."
        )
    if me not in (0, owner.st_uid):
        raise EmbeddedPostgresError(
            f"{cluster} belongs to the user {_name(owner.st_uid)} and you are {_name(me)}: run Switchboard as that "
            "user, or give it another data folder."
        )
    return _checked(Account(owner.st_uid, owner.st_gid, _name(owner.st_uid), foreign=me == 0))


def _unprivileged() -> Account:
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid:
            return _checked(Account(entry.pw_uid, entry.pw_gid, name, foreign=True))
    raise EmbeddedPostgresError(
        f"PostgreSQL refuses to run as root, and this system has no user {' or '.join(_CANDIDATES)} to run it as: run "
        "Switchboard as an ordinary user, or set SWITCHBOARD_DATABASE_URL."
    )


def _checked(account: Account) -> Account:
    if account.foreign:
        try:
            account.run(["/bin/sh", "-c", ":"])
        except EmbeddedPostgresError as error:
            raise EmbeddedPostgresError(
                f"PostgreSQL refuses to run as root, and root may not become the user {account.name} here: run "
                "Switchboard as an ordinary user, or set SWITCHBOARD_DATABASE_URL."
            ) from error
    return account


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
