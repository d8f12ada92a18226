"""switchboard schedule add|list|pause|resume|trigger|remove, over the operator API"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from switchboard_wire.errors import invalid
from switchboard_wire.instants import format_instant
from switchboard_wire.schedules import Missed, Schedule

from .api_client import ApiClient
from .app import app
from .failures import readable
from .output import print_json
from .queue_budget import AsJson, Data, Queue, Scope, Token, Url

schedule = typer.Typer(help="Todos made by the clock.", no_args_is_help=True)
app.add_typer(schedule, name="schedule")

Id = Annotated[int, typer.Argument(help="The schedule's id, as `schedule list` shows it.")]


@schedule.command()
def add(
    scope: Scope,
    queue: Queue,
    name: Annotated[str, typer.Argument(help="Unique in the queue.")],
    cron: Annotated[str, typer.Option(help="Five fields: minute, hour, day, month, weekday.")],
    zone: Annotated[str, typer.Option(help="IANA zone in which the fields are read.")] = "UTC",
    kind: Annotated[str, typer.Option(help="Kind of the todos.")] = "scheduled",
    title: Annotated[str | None, typer.Option(help="Title of the todos; else the name.")] = None,
    payload: Annotated[str, typer.Option(help="Payload of the todos, as JSON.")] = "null",
    missed: Annotated[Missed, typer.Option(help="What becomes of fires that no server was there for.")] = Missed.SKIP,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make todos in a queue at the times of a cron expression."""
    with readable():
        body: dict[str, Any] = {
            "scope": scope,
            "queue": queue,
            "name": name,
            "cron": cron,
            "tz": zone,
            "kind": kind,
            "title": title or name,
            "payload": _json(payload),
            "missed": missed.value,
        }
        _print(ApiClient(url, token, data).add_schedule(body), as_json=as_json)


@schedule.command("list")
def list_(url: Url = None, token: Token = None, data: Data = None, as_json: AsJson = False) -> None:
    """List the schedules that you may read."""
    with readable():
        listed = ApiClient(url, token, data).schedules()
        if as_json:
            print_json(listed)
            return
        for one in listed.schedules:
            typer.echo(_line(one))


@schedule.command()
def pause(id: Id, url: Url = None, token: Token = None, data: Data = None, as_json: AsJson = False) -> None:  # noqa: A002
    """Let a schedule rest; nothing that would have fired meanwhile is made up for."""
    with readable():
        _print(ApiClient(url, token, data).act_on_schedule(id, "pause"), as_json=as_json)


@schedule.command()
def resume(id: Id, url: Url = None, token: Token = None, data: Data = None, as_json: AsJson = False) -> None:  # noqa: A002
    """Let a schedule fire again, from now on."""
    with readable():
        _print(ApiClient(url, token, data).act_on_schedule(id, "resume"), as_json=as_json)


@schedule.command()
def trigger(id: Id, url: Url = None, token: Token = None, data: Data = None) -> None:  # noqa: A002
    """Make one todo now; the next time stays what it is."""
    with readable():
        typer.echo(f"Todo {ApiClient(url, token, data).trigger_schedule(id).todo_id}.")


@schedule.command()
def remove(id: Id, url: Url = None, token: Token = None, data: Data = None) -> None:  # noqa: A002
    """Remove a schedule; the todos that it made stay."""
    with readable():
        typer.echo(f"Removed {ApiClient(url, token, data).remove_schedule(id).name}.")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise invalid("payload", f"This is not JSON: {error}.") from error


def _print(one: Schedule, *, as_json: bool) -> None:
    if as_json:
        print_json(one)
    else:
        typer.echo(_line(one))


def _line(one: Schedule) -> str:
    when = f"next at {format_instant(one.next_fire_at)}"
    if one.fault is not None:
        when = f"set aside: {one.fault}"
    elif one.paused:
        when = "paused"
    return f"{one.id} {one.scope} {one.queue} {one.name}: {one.cron} ({one.tz}), {when}"
