"""switchboard schedule add|list|show|edit|pause|resume|trigger|remove, over the operator API"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated, Any

import typer

from switchboard_wire.encode import to_plain
from switchboard_wire.errors import invalid
from switchboard_wire.instants import format_instant
from switchboard_wire.schedules import EditedSchedule, Missed, Schedule

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
def show(id: Id, url: Url = None, token: Token = None, data: Data = None, as_json: AsJson = False) -> None:  # noqa: A002
    """Show one schedule whole."""
    with readable():
        one = ApiClient(url, token, data).schedule(id)
        _print(one, as_json=as_json)
        if not as_json:
            _print_template(one)


@schedule.command()
def edit(
    id: Id,  # noqa: A002
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    cron: Annotated[str | None, typer.Option(help="Five fields: minute, hour, day, month, weekday.")] = None,
    zone: Annotated[str | None, typer.Option(help="IANA zone in which the fields are read.")] = None,
    kind: Annotated[str | None, typer.Option(help="Kind of the todos.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the todos.")] = None,
    payload: Annotated[str | None, typer.Option(help="Payload of the todos, as JSON.")] = None,
    missed: Annotated[Missed | None, typer.Option(help="What becomes of missed fires.")] = None,
    version: Annotated[int | None, typer.Option(help="Refuse unless it still has this version.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Change what is given of a schedule; the rest stays."""
    with readable():
        client = ApiClient(url, token, data)
        wanted = {
            "name": name,
            "cron": cron,
            "tz": zone,
            "kind": kind,
            "title": title,
            "payload": None if payload is None else _json(payload),
            "missed": missed,
            "version": version,
        }
        seen = to_plain(client.schedule(id))
        body = {member.name: seen[member.name] for member in fields(EditedSchedule)}
        body |= {member: value for member, value in wanted.items() if value is not None}
        if payload is not None:
            body["payload"] = wanted["payload"]
        _print(client.edit_schedule(id, to_plain(body)), as_json=as_json)


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


def _print_template(one: Schedule) -> None:
    last = "never" if one.last_fired_at is None else format_instant(one.last_fired_at)
    for name, value in (
        ("kind", one.kind),
        ("title", one.title),
        ("source", one.source),
        ("tags", ", ".join(one.tags) or "none"),
        ("payload", json.dumps(one.payload, ensure_ascii=False)),
        ("attempts", f"at most {one.max_attempts}"),
        ("missed fires", one.missed.value),
        ("last fired", last),
        ("version", f"{one.version}, made by {one.created_by}"),
    ):
        typer.echo(f"  {name}: {value}")


def _line(one: Schedule) -> str:
    when = f"next at {format_instant(one.next_fire_at)}"
    if one.fault is not None:
        when = f"set aside: {one.fault}"
    elif one.paused:
        when = "paused"
    return f"{one.id} {one.scope} {one.queue} {one.name}: {one.cron} ({one.tz}), {when}"
