"""An embedded PostgreSQL, from the caller's side: one object per process that uses it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from .account import account_for
from .binaries import Binaries, binaries
from .binaries_copy import copied
from .creation import DATABASE, USER, create_cluster, password_of, renew_lost_password
from .errors import EmbeddedPostgresError
from .home import LINK, Home, existing_home, new_home
from .locks import FileLock, wait_exclusive, wait_shared
from .server import StillStartingError, alive_lock, halt, launch, settled
from .server_settings import Setting
from .system_folder import SYSTEM_FOLDER


class EmbeddedPostgres:
    """The PostgreSQL of one data folder, shared by all processes that use it at a time.

    The first to `start` makes the cluster (below `data_dir`, in "postgres") and starts the server; the others attach
    to it; the last to `stop` stops it. A process that is killed leaves it running for the next one to attach to.
    `settings` are PostgreSQL's and hold for a server that this object starts, not for one that it finds. `patience` is
    how many seconds to wait for other processes and for crash recovery. `system_folder` is used by root only, see
    `home`. Safe to call from several threads; does not survive a fork.
    """

    def __init__(
        self,
        data_dir: str | Path,
        *,
        settings: Mapping[str, Setting] | None = None,
        installation: Binaries | None = None,
        system_folder: Path = SYSTEM_FOLDER,
        patience: float = 60.0,
    ) -> None:
        self.data_dir = Path(data_dir).absolute()
        self._settings = dict(settings or {})
        self._installation = installation
        self._system_folder = system_folder
        self._patience = patience
        self._turn = threading.Lock()
        self._home: Home | None = None
        self._attached: FileLock | None = None
        self._url = ""

    @property
    def url(self) -> str:
        """The address of the database, password included. Raises EmbeddedPostgresError unless started."""
        if not self._attached:
            raise EmbeddedPostgresError(f"The embedded PostgreSQL of {self.data_dir} is not started.")
        return self._url

    def start(self) -> str:
        """Have the server run, made and started as far as need be, and return the address of its database.

        Blocks for about half a second the first time and a few hundredths later; `async with` does it in a thread.
        Once started it only returns the address. Raises EmbeddedPostgresError, and then holds on to nothing.
        """
        with self._turn:
            if not self._attached:
                try:
                    self._attach()
                except OSError as error:
                    raise EmbeddedPostgresError(
                        f"The embedded PostgreSQL of {self.data_dir} could not start: {error}."
                    ) from error
            return self._url

    def stop(self) -> bool:
        """Leave the server, and stop it if no other process uses it: whether it was. Does nothing unless started.

        Connections that are open then are cut. Raises EmbeddedPostgresError when the server cannot be stopped.
        """
        with self._turn:
            return self._leave(delete=False)

    def remove(self) -> None:
        """Stop the server and delete the cluster with all its data; for throw-away clusters.

        Raises EmbeddedPostgresError, and deletes nothing, unless started or while another process uses it.
        """
        with self._turn:
            if not self._attached:
                raise EmbeddedPostgresError(f"The embedded PostgreSQL of {self.data_dir} is not started.")
            if not self._leave(delete=True):
                raise EmbeddedPostgresError(f"Another process uses the database of {self.data_dir}: it is kept.")

    def _attach(self) -> None:
        self.data_dir.mkdir(parents=True, exist_ok=True)
        self.data_dir = self.data_dir.resolve()
        installation = self._installation or binaries()
        home = existing_home(self.data_dir, self._system_folder)
        account = account_for(home.cluster if home else self.data_dir / LINK)
        if home is None:
            home = new_home(self.data_dir, self._system_folder, account)
        elif not account.can_enter(home.folder):
            raise EmbeddedPostgresError(
                f"PostgreSQL runs as the user {account.name}, who cannot enter {home.folder}: let others enter it and "
                "the folders above it (chmod o+x), or move the data folder to where they can."
            )
        if not installation.usable_by(account):
            installation = copied(installation, self._system_folder)
        with self._starting(home):
            attached = wait_shared(home.attached_lock, self._patience)
            if attached is None:
                raise EmbeddedPostgresError(
                    f"Another process has been stopping the database of {self.data_dir} for long."
                )
            launched = False
            try:
                server = settled(home, self._patience)
                if home.made:
                    _refuse_other_major(home, installation)
                if server is None:
                    with alive_lock(home) as alive:
                        if home.made:
                            renew_lost_password(home, account, installation, alive)
                        else:
                            create_cluster(home, account, installation, alive, self._settings)
                    launched = True
                    server = launch(home, account, installation, self._settings, self._patience)
                self._url = f"postgresql://{USER}:{password_of(home)}@127.0.0.1:{server.port}/{DATABASE}"
            except StillStartingError:
                attached.release()
                raise
            except BaseException:  # Ctrl-C included: what was started here must not outlive us unnoticed
                try:
                    if launched and attached.to_exclusive():
                        halt(home)
                finally:
                    attached.release()
                raise
        self._home, self._attached = home, attached

    def _leave(self, *, delete: bool) -> bool:
        if not self._attached or not self._home:
            return False
        home, attached = self._home, self._attached
        with self._starting(home):
            last = False
            self._attached = self._home = None
            try:
                last = attached.to_exclusive()
                if last:
                    halt(home, discard=delete)
                    if delete:
                        home.remove(self.data_dir)
            finally:
                attached.release()
        return last

    def _starting(self, home: Home) -> FileLock:
        """The lock under which the server is made, started and stopped, by one process at a time."""
        lock = wait_exclusive(home.start_lock, 2 * self._patience)
        if lock is None:
            raise EmbeddedPostgresError(
                f"Another process has been starting or stopping the database of {self.data_dir} for too long."
            )
        return lock

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> str:
        starting = asyncio.ensure_future(asyncio.to_thread(self.start))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The thread cannot be interrupted: let it finish, and undo what it did.
            await asyncio.wait([starting])
            if not starting.exception():
                await asyncio.to_thread(self.stop)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)


def _refuse_other_major(home: Home, installation: Binaries) -> None:
    made_by = (home.cluster / "PG_VERSION").read_text().strip()
    if made_by != str(installation.major):
        raise EmbeddedPostgresError(
            f"The database in {home.cluster} was made by PostgreSQL {made_by}, and this Switchboard brings PostgreSQL "
            f"{installation.major}: carry it over with pg_dump, using the Switchboard that made it, or move the folder "
            "away to start with an empty database."
        )
