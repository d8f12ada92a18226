"""Every named statement is accepted by PostgreSQL against the migrated schema."""

from __future__ import annotations

import asyncpg
import pytest

from switchboard.store import statements

ALL = {
    statement.name: statement
    for area in statements.AREAS
    for statement in getattr(statements, area)
    if not statement.script  # several statements in one, which only running tries
}


@pytest.mark.parametrize("name", sorted(ALL))
async def test_statement_is_prepared_against_the_schema(name: str, database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        prepared = await connection.prepare(ALL[name].sql)
        assert len(prepared.get_parameters()) == len(ALL[name].parameters)
    finally:
        await connection.close()
