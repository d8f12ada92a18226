"""switchboard webhook add|secret|revoke|list|accept|withdraw"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from switchboard.core.webhook_signatures import Verification
from switchboard.service.services import Services
from switchboard.service.webhooks import NewWebhook, Target, WebhookAccess, WebhookView
from switchboard_wire.errors import invalid

from .app import app
from .database import with_services
from .failures import readable
from .output import print_json

webhook = typer.Typer(help="Where other services deliver work.", no_args_is_help=True)
app.add_typer(webhook, name="webhook")

Name = Annotated[str, typer.Argument(help="The webhook's name; its todos carry it as their source.")]
Data = Annotated[Path | None, typer.Option(help="Folder of the embedded database.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Sender = Annotated[str, typer.Argument(help="The human whose webhooks deliver.")]
Owner = Annotated[str, typer.Option("--human", help="The human who owns the queue.")]
OneTarget = Annotated[str, typer.Option("--target", help="The queue, as endpoint:queue.")]


class Trust(StrEnum):
    """What vouches for a delivery."""

    SIGNED = "signed"
    TOKEN = "token"


class Scheme(StrEnum):
    """How a delivery is signed."""

    STANDARD = "standard"
    GITHUB = "github"


@webhook.command()
def add(
    name: Name,
    human: Annotated[str, typer.Option(help="The owning human.")],
    target: Annotated[list[str], typer.Option(help="Where to: endpoint:queue; give it again for more.")],
    trust: Annotated[Trust, typer.Option(help="A signature, or the secret path alone.")],
    scheme: Annotated[Scheme | None, typer.Option(help="How deliveries are signed.")] = None,
    kind: Annotated[str, typer.Option(help="The kind of its todos.")] = "webhook",
    title: Annotated[str | None, typer.Option(help="A fixed title of its todos.")] = None,
    title_header: Annotated[
        str | None, typer.Option(help="The header whose value is the title; GitHub: X-GitHub-Event.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Add a webhook and print its path and signing secret. They are shown once."""

    async def work(services: Services) -> WebhookAccess:
        ask = NewWebhook(
            name=name,
            verification=_verification(trust, scheme),
            targets=[_target(text) for text in target],
            kind=kind,
            title=title,
            title_header=title_header,
        )
        return await services.webhooks.add(await services.accounts.human(human), ask)

    with readable():
        access = with_services(work, data)
        path = f"/webhooks/w/{access.token}"
        if as_json:
            print_json({"name": access.name, "path": path, "secret": access.secret})
            return
        typer.echo(f"Path:   {path}")
        if access.secret is not None:
            typer.echo(f"Secret: {access.secret}")


@webhook.command()
def secret(
    name: Name,
    given: Annotated[
        Path | None, typer.Option("--from", help="File that holds the secret which the sender made; - is stdin.")
    ] = None,
    data: Data = None,
) -> None:
    """Replace the signing secret: print a new one, or take the sender's."""

    async def work(services: Services) -> str:
        return await services.webhooks.renew_secret(name, None if given is None else _read(given))

    with readable():
        value = with_services(work, data)
        typer.echo(value if given is None else f"{name} takes what is signed with the given secret.")


@webhook.command()
def revoke(name: Name, data: Data = None) -> None:
    """End a webhook. Its path answers as one that never was; its todos stay."""

    async def work(services: Services) -> None:
        await services.webhooks.revoke(name)

    with readable():
        with_services(work, data)
        typer.echo(f"Revoked {name}.")


@webhook.command("list")
def list_(as_json: AsJson = False, data: Data = None) -> None:
    """List webhooks with their targets; a target that takes nothing says why."""

    async def work(services: Services) -> tuple[WebhookView, ...]:
        return await services.webhooks.list()

    with readable():
        found = with_services(work, data)
        if as_json:
            print_json(list(found))
            return
        for one in found:
            targets = ", ".join(
                f"{each.endpoint}:{each.queue}" + ("" if each.state == "active" else f" ({each.state})")
                for each in one.targets
            )
            typer.echo(f"{one.name:24} {one.human:16} {one.verification.value:9} {one.state:8} {targets}")


@webhook.command()
def accept(sender: Sender, human: Owner, target: OneTarget, data: Data = None) -> None:
    """Let another human's webhooks deliver into your queue; your policy alone governs those todos."""

    async def work(services: Services) -> None:
        accounts = services.accounts
        await services.webhooks.accept(await accounts.human(human), _target(target), await accounts.human(sender))

    with readable():
        with_services(work, data)
        typer.echo(f"{target} accepts webhooks of {sender}.")


@webhook.command()
def withdraw(sender: Sender, human: Owner, target: OneTarget, data: Data = None) -> None:
    """Take back an acceptance. Later deliveries skip your queue."""

    async def work(services: Services) -> None:
        accounts = services.accounts
        await services.webhooks.stop_accepting(
            await accounts.human(human), _target(target), await accounts.human(sender)
        )

    with readable():
        with_services(work, data)
        typer.echo(f"{target} accepts webhooks of {sender} no more.")


def _verification(trust: Trust, scheme: Scheme | None) -> Verification:
    if trust is Trust.TOKEN:
        if scheme is not None:
            raise invalid("scheme", "Nothing is signed under token trust; leave it out.")
        return Verification.TOKEN
    if scheme is None:
        raise invalid("scheme", "Give --scheme standard or --scheme github.")
    return Verification(scheme.value)


def _target(text: str) -> Target:
    endpoint, colon, queue = text.partition(":")
    if not (endpoint and colon and queue):
        raise invalid("target", f"Give endpoint:queue, not {text!r}.")
    return Target(endpoint, queue)


def _read(given: Path) -> str:
    try:
        return (sys.stdin.read() if str(given) == "-" else given.read_text(encoding="utf-8")).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise invalid("from", f"{given} cannot be read as text.") from error
