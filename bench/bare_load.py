"""A worker without HTTP: one asyncpg connection, the same statements."""

from __future__ import annotations

from typing import Any

import asyncpg

from .bare import BareClaims
from .load import Route, Worker


class AsyncpgWorker(Worker):
    """Use `connected`."""

    def __init__(self, connection: Any, limit: int, claims: BareClaims) -> None:
        self._connection = connection
        self._limit = limit
        self._claims = claims

    @classmethod
    async def connected(cls, url: str, limit: int) -> AsyncpgWorker:
        """`limit` is the most that one claim takes."""
        return cls(await asyncpg.connect(url), limit, BareClaims())

    async def claim(self, route: Route) -> list[int]:
        rows = await self._claims.claim_next(self._connection, route.credential, route.queues, self._limit)
        return [row["id"] for row in rows]

    async def complete(self, route: Route, todo_ids: list[int], following: Route | None = None) -> list[int]:
        results = ['{"ok":true}'] * len(todo_ids)
        queues = following and following.queues
        _, claimed = await self._claims.complete(
            self._connection, route.credential, todo_ids, results, following is not None, queues, self._limit
        )
        return [row["id"] for row in claimed]

    async def close(self) -> None:
        await self._connection.close()
