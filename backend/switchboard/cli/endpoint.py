"""switchboard endpoint add|renew|revoke|list"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from switchboard.service.endpoints import EndpointView
from switchboard.service.services import Services

from .app import app
from .database import with_services
from .failures import readable
from .output import print_json

endpoint = typer.Typer(help="What workers authenticate as.", no_args_is_help=True)
app.add_typer(endpoint, name="endpoint")

Data = Annotated[Path | None, typer.Option(help="Folder of the embedded database.")]
Slug = Annotated[str, typer.Argument(help="The endpoint's name in addresses.")]


@endpoint.command()
def add(
    slug: Slug,
    human: Annotated[str, typer.Option(help="The owning human.")],
    queue: Annotated[list[str], typer.Option(help="A queue that it may use; give it again for more.")],
    lease: Annotated[int, typer.Option(help="Default lease in seconds, 60 to 86400.")] = 300,
    data: Data = None,
) -> None:
    """Add an endpoint and print its credential. It is shown once."""

    async def work(services: Services) -> str:
        return await services.endpoints.add(await services.accounts.human(human), slug, queue, lease=lease)

    with readable():
        typer.echo(with_services(work, data))


@endpoint.command()
def renew(slug: Slug, data: Data = None) -> None:
    """Print a new credential; the old one ends at once."""

    async def work(services: Services) -> str:
        return await services.endpoints.renew(slug)

    with readable():
        typer.echo(with_services(work, data))


@endpoint.command()
def revoke(slug: Slug, data: Data = None) -> None:
    """End an endpoint. Its queues and policies stay readable."""

    async def work(services: Services) -> None:
        await services.endpoints.revoke(slug)

    with readable():
        with_services(work, data)
        typer.echo(f"Revoked {slug}.")


@endpoint.command("list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data: Data = None,
) -> None:
    """List endpoints with their grants."""

    async def work(services: Services) -> tuple[EndpointView, ...]:
        return await services.endpoints.list()

    with readable():
        found = with_services(work, data)
        if as_json:
            print_json(list(found))
            return
        for one in found:
            typer.echo(f"{one.slug:24} {one.owner:24} {one.state:8} {', '.join(one.queues)}")
