"""The `switchboard` command. The modules beside this one add their verbs when they are imported."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="switchboard",
    help="A work queue on PostgreSQL whose budgets hold exactly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
