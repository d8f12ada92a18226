"""Numbered migrations, applied in order, under a lock, by any number of servers at once.

`pre` migrations run before the new code and are safe beside the old code; `post` ones wait until no old server runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


async def require_migrated(database: Database) -> None:
    """For who may only read. Raises MigrationFailed when a migration of this release is missing, or SchemaTooNew."""
    try:
        async with database.transaction() as connection:
            applied = {row["number"]: row for row in await statements.schema.applied_migrations(connection)}
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError) as error:
        raise MigrationFailed("it has no schema of Switchboard yet, and a read-only server makes none") from error
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationFailed(str(error)) from error
    known = known_migrations()
    _refuse_newer(applied, known)
    missing = [one for one in known if one.phase == "pre" and one.number not in applied]
    if missing:
        first = f"{missing[0].number:04d}_{missing[0].phase}_{missing[0].name}"
        raise MigrationFailed(f"{first} is missing, and a read-only server applies none")


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
        _refuse_newer(applied, known)
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


def _refuse_newer(applied: Mapping[int, asyncpg.Record], known: Sequence[Migration]) -> None:
    numbers = {one.number for one in known}
    for number, row in applied.items():
        if number not in numbers and row["phase"] == "post":
            raise SchemaTooNew(f"{number:04d}_{row['phase']}_{row['name']}")
