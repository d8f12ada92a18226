"""Fixtures that several folders take into their conftest.py by name."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from switchboard.store.database import Database
from tests.support.clock import Clock
from tests.support.scenario import World


@pytest.fixture
async def sql(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the test's own, in autocommit."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture
def world(database: Database, sql: asyncpg.Connection) -> World:
    return World(database, sql)


@pytest.fixture
async def clock(sql: asyncpg.Connection) -> Clock:
    """The database's clock, standing at Tuesday 2026-09-22, 10:00 in Los Angeles (17:00 UTC)."""
    travelling = Clock(sql)
    await travelling.install("2026-09-22T10:00-07:00")
    return travelling
