"""Every named statement, loaded once from the .sql files, an area each.

`statements.claims.claim_next(connection, endpoint_id=..., ...)` runs one.

aiosql reads the files. Running a statement is ours: its adapter looks the connection over at each call, which costs
more than a claim's own Python.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import aiosql
from aiosql.adapters.asyncpg import AsyncPGAdapter
from aiosql.types import SQLOperationType

AREAS = (
    "schema",
    "accounts",
    "endpoints",
    "queues",
    "todos",
    "claims",
    "policies",
    "sweeps",
    "teams",
    "retention",
    "operator_todos",
    "webhooks",
    "operator_audit",
    "dead_letters",
    "queue_actions",
    "statistics",
    "workers",
    "operations",
    "schedules",
)


class Statement:
    """One named statement. Called with a connection and its parameters by name.

    By its mark in the file it gives rows (none), one row or None (^), one value or None ($), or nothing (!, #).
    `script`: several statements in one (#).
    """

    __slots__ = ("_run", "name", "parameters", "script", "sql")

    def __init__(self, name: str, sql: str, parameters: tuple[str, ...], operation: SQLOperationType) -> None:
        self.name = name
        self.sql = sql
        self.parameters = parameters
        self.script = operation is SQLOperationType.SCRIPT
        self._run = {
            SQLOperationType.SELECT: "fetch",
            SQLOperationType.SELECT_ONE: "fetchrow",
            SQLOperationType.SELECT_VALUE: "fetchval",
        }.get(operation, "execute")

    async def __call__(self, connection: Any, **values: Any) -> Any:
        if len(values) != len(self.parameters):
            raise TypeError(f"{self.name} takes {', '.join(self.parameters)}; got {', '.join(values)}")
        return await getattr(connection, self._run)(self.sql, *(values[name] for name in self.parameters))


class Area:
    """The statements of one file."""

    def __init__(self, area: str) -> None:
        adapter: Any = AsyncPGAdapter()  # type: ignore[no-untyped-call]
        text = resources.files("switchboard.sql").joinpath(f"{area}.sql").read_text(encoding="utf-8")
        queries = aiosql.from_str(text, lambda: adapter)
        self._statements: dict[str, Statement] = {}
        for name in queries.available_queries:
            if not name.endswith("_cursor"):
                query = getattr(queries, name)
                self._statements[name] = Statement(
                    f"{area}.{name}", query.sql, tuple(adapter.var_sorted[name]), query.operation
                )

    def __getattr__(self, name: str) -> Statement:
        try:
            return self._statements[name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Any:
        return iter(self._statements.values())


schema = Area("schema")
accounts = Area("accounts")
endpoints = Area("endpoints")
queues = Area("queues")
todos = Area("todos")
claims = Area("claims")
policies = Area("policies")
sweeps = Area("sweeps")
teams = Area("teams")
retention = Area("retention")
operator_todos = Area("operator_todos")
webhooks = Area("webhooks")
operator_audit = Area("operator_audit")
dead_letters = Area("dead_letters")
queue_actions = Area("queue_actions")
statistics = Area("statistics")
workers = Area("workers")
operations = Area("operations")
schedules = Area("schedules")
