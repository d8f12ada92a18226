"""Numbered migrations, applied in order, under a lock, by any number of servers at once.

`pre` migrations run before the new code and are safe beside the old code; `post` ones wait until no old server runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

import asyncpg

from . import statements
from .database import Database

_NAME = re.compile(r"(?P<number>\d{4})_(?P<phase>pre|post)_(?P<name>[a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    phase: str
    name: str
    text: str


class SchemaTooNew(Exception):
    """The database was migrated by a newer release than this one."""


def known_migrations() -> list[Migration]:
    """Every migration of this release, in order."""
    found = []
    for entry in resources.files("switchboard.sql").joinpath("migrations").iterdir():
        match = _NAME.fullmatch(entry.name)
        if match:
            found.append(
                Migration(int(match["number"]), match["phase"], match["name"], entry.read_text(encoding="utf-8"))
            )
    return sorted(found, key=lambda migration: migration.number)


class MigrationFailed(Exception):
    """The database refused a migration, in its own words; nothing was applied."""


async def migrate(database: Database, *, post: bool) -> list[Migration]:
    """Applies what is missing, all in one transaction, and tells what that was.

    Raises SchemaTooNew when a `post` migration stands that this release does not know: it may have taken away what
    this release needs; an unknown `pre` one is harmless. Raises MigrationFailed when the database refuses.
    """
    try:
        return await _migrate(database, post=post)
    except asyncpg.PostgresError as error:
        raise MigrationFailed(str(error)) from error


async def _migrate(database: Database, *, post: bool) -> list[Migration]:
    async with database.transaction() as connection:
        await statements.schema.lock_migrations(connection)
        await statements.schema.create_migrations(connection)
        applied = {row["number"]: row for row in await statements.schema.applied_migrations(connection)}
        known = known_migrations()
        unknown = [row for number, row in applied.items() if number not in {one.number for one in known}]
        for row in unknown:
            if row["phase"] == "post":
                raise SchemaTooNew(f"{row['number']:04d}_{row['phase']}_{row['name']}")
        done = []
        for migration in known:
            if migration.number in applied or (migration.phase == "post" and not post):
                continue
            await connection.execute(migration.text)
            await statements.schema.record_migration(
                connection, number=migration.number, name=migration.name, phase=migration.phase
            )
            done.append(migration)
        return done
