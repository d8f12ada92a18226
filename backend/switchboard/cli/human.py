"""switchboard human add|token|list"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from switchboard.service.services import Services

from .app import app
from .database import with_services
from .failures import readable

human = typer.Typer(help="People who sign in.", no_args_is_help=True)
app.add_typer(human, name="human")

Data = Annotated[Path | None, typer.Option(help="Folder of the embedded database.")]


@human.command()
def add(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits, dot, underscore, hyphen.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
    operator: Annotated[bool, typer.Option(help="May read everything, and manages only what is theirs.")] = False,
    data: Data = None,
) -> None:
    """Add a human who signs in with a password."""

    async def work(services: Services) -> None:
        await services.accounts.add_human(name, password, operator=operator)

    with readable():
        with_services(work, data)
        typer.echo(f"Added {name}.")


@human.command()
def token(
    name: Annotated[str, typer.Argument(help="Whose token.")],
    label: Annotated[str, typer.Option(help="What it is for; an older token of this label ends.")] = "cli",
    data: Data = None,
) -> None:
    """Print a new operator token. It is shown once."""

    async def work(services: Services) -> str:
        return await services.accounts.new_operator_token(await services.accounts.human(name), label)

    with readable():
        typer.echo(with_services(work, data))
