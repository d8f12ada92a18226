"""switchboard team add|queue|grant|member|members"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from switchboard.service.services import Services
from switchboard.service.teams import Role

from .app import app
from .database import with_services
from .failures import readable
from .output import print_json

team = typer.Typer(help="Teams: shared queues under one budget.", no_args_is_help=True)
app.add_typer(team, name="team")

Data = Annotated[Path | None, typer.Option(help="Folder of the embedded database.")]
Slug = Annotated[str, typer.Argument(help="The team's name in addresses.")]
Actor = Annotated[str, typer.Option("--as", help="The human who does this; admin or owner of the team.")]


@team.command()
def add(slug: Slug, owner: Annotated[str, typer.Option(help="Its first owner.")], data: Data = None) -> None:
    """Make a team."""

    async def work(services: Services) -> None:
        await services.teams.add(await services.accounts.human(owner), slug)

    with readable():
        with_services(work, data)
        typer.echo(f"Made the team {slug}.")


@team.command()
def queue(slug: Slug, name: Annotated[str, typer.Argument(help="The queue.")], actor: Actor, data: Data = None) -> None:
    """Make a queue of the team."""

    async def work(services: Services) -> None:
        await services.teams.add_queue(await services.accounts.human(actor), slug, name)

    with readable():
        with_services(work, data)
        typer.echo(f"The team {slug} has the queue {name}.")


@team.command()
def grant(
    slug: Slug,
    name: Annotated[str, typer.Argument(help="The queue.")],
    endpoint: Annotated[str, typer.Argument(help="An endpoint of a member, or of the team.")],
    actor: Actor,
    data: Data = None,
) -> None:
    """Let an endpoint drain a queue of the team."""

    async def work(services: Services) -> None:
        await services.teams.grant(await services.accounts.human(actor), slug, name, endpoint)

    with readable():
        with_services(work, data)
        typer.echo(f"{endpoint} drains {name} of {slug}.")


@team.command()
def member(
    slug: Slug,
    name: Annotated[str, typer.Argument(help="The human.")],
    actor: Actor,
    role: Annotated[Role, typer.Option(help="The member's role.")] = Role.MEMBER,
    remove: Annotated[bool, typer.Option("--remove", help="Take the member out of the team.")] = False,
    data: Data = None,
) -> None:
    """Add a member, change a role, or remove a member, whose leases are then released."""

    async def work(services: Services) -> int | None:
        acting, human = await services.accounts.human(actor), await services.accounts.human(name)
        if remove:
            return await services.teams.remove_member(acting, slug, human)
        await services.teams.set_member(acting, slug, human, role)
        return None

    with readable():
        released = with_services(work, data)
        if released is None:
            typer.echo(f"{name} is {role.value} of {slug}.")
        else:
            typer.echo(f"{name} left {slug}; {released} leases were released.")


@team.command()
def members(
    slug: Slug,
    actor: Actor,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data: Data = None,
) -> None:
    """List the members of a team."""

    async def work(services: Services) -> list[tuple[str, Role]]:
        return await services.teams.members(await services.accounts.human(actor), slug)

    with readable():
        found = with_services(work, data)
        if as_json:
            print_json([{"name": name, "role": role} for name, role in found])
            return
        for name, role in found:
            typer.echo(f"{name:24} {role.value}")
