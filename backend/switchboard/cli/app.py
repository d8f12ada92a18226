"""The `switchboard` command. Each module here adds its verbs."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="switchboard",
    help="A work queue on PostgreSQL whose budgets hold exactly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

from . import demo, endpoint, human, migrate, queue_budget, team  # noqa: E402, F401 - they register their verbs
