"""Time travel: the one clock of claims, leases and windows, replaced in a test's database (D12)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any


def instant(text: str) -> datetime:
    """`2026-09-22T17:00-07:00` as an aware datetime in UTC. Without an offset it is UTC."""
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


class Clock:
    """The database's clock stands at `now` until it is moved; every session of the database reads it."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.now = datetime.min.replace(tzinfo=UTC)

    async def install(self, at: str) -> None:
        await self._connection.execute("create table public.test_clock (at timestamptz not null)")
        await self._connection.execute("insert into public.test_clock values ($1)", instant(at))
        await self._connection.execute(
            "create or replace function switchboard.clock() returns timestamptz language sql volatile parallel safe "
            "as 'select at from public.test_clock'"
        )
        self.now = instant(at)

    async def set(self, at: str | datetime) -> datetime:
        self.now = instant(at) if isinstance(at, str) else at
        await self._connection.execute("update public.test_clock set at = $1", self.now)
        return self.now

    async def advance(self, **by: float) -> datetime:
        """`advance(seconds=30)`: the keywords of timedelta."""
        return await self.set(self.now + timedelta(**by))
