"""switchboard queue budget show|set|clear, over the operator API"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from switchboard_wire.admission import QueueAdmission
from switchboard_wire.errors import invalid
from switchboard_wire.instants import format_instant

from .api_client import ApiClient
from .app import app
from .failures import readable
from .output import print_json

queue = typer.Typer(help="Queues.", no_args_is_help=True)
budget = typer.Typer(help="Admission policies: how many in flight, how many claims a window.", no_args_is_help=True)
queue.add_typer(budget, name="budget")
app.add_typer(queue, name="queue")

Scope = Annotated[str, typer.Argument(help="Whose queue: endpoint:<slug> or team:<slug>.")]
Queue = Annotated[str, typer.Argument(help="The queue's name.")]
Url = Annotated[str | None, typer.Option(help="The server; else SWITCHBOARD_URL.")]
Token = Annotated[str | None, typer.Option(help="An operator token; else SWITCHBOARD_TOKEN.")]
Data = Annotated[Path | None, typer.Option(help="Folder whose cli.json holds address and token.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@budget.command()
def show(
    scope: Annotated[str | None, typer.Argument(help="Whose queue; none: every queue you manage.")] = None,
    queue: Annotated[str | None, typer.Argument(help="The queue's name.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show the policy, usage and status of one queue, or of all that you manage."""
    with readable():
        client = ApiClient(url, token, data)
        if scope is None:
            listed = client.policies()
            if as_json:
                print_json(listed)
            else:
                for admission in listed.queues:
                    typer.echo(_line(admission))
            return
        if queue is None:
            raise invalid("queue", "Give the queue's name too.")
        view = client.show(scope, queue)
        if as_json:
            print_json(view)
            return
        typer.echo(_line(view.admission))
        for record in view.audit:
            typer.echo(f"  {format_instant(record.at)}  {record.action.value} by {record.human}")


@budget.command("set")
def set_(
    scope: Scope,
    queue: Queue,
    in_flight: Annotated[int | None, typer.Option(help="At most so many claimed at once; 0 pauses.")] = None,
    claims: Annotated[int | None, typer.Option(help="At most so many claims a window; 0 pauses.")] = None,
    period: Annotated[str, typer.Option(help="hour, day or week.")] = "day",
    zone: Annotated[str, typer.Option(help="IANA zone of the window.")] = "UTC",
    start: Annotated[str, typer.Option(help="Local time HH:MM at which windows begin.")] = "00:00",
    weekday: Annotated[str | None, typer.Option(help="Mon to Sun, for a weekly window.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Replace the whole policy of a queue."""
    window: dict[str, Any] | None = None
    if claims is not None:
        window = {"period": period, "tz": zone, "start": start}
        if weekday is not None:
            window["weekday"] = weekday
    body = {"max_in_flight": in_flight, "max_claims_per_window": claims, "window": window}
    with readable():
        view = ApiClient(url, token, data).set(scope, queue, body)
        if as_json:
            print_json(view)
        else:
            typer.echo(_line(view.admission))


@budget.command()
def clear(scope: Scope, queue: Queue, url: Url = None, token: Token = None, data: Data = None) -> None:
    """Remove the policy of a queue; its usage is kept."""
    with readable():
        cleared = ApiClient(url, token, data).clear(scope, queue)
        typer.echo("Cleared." if cleared else "There was no policy.")


def _line(admission: QueueAdmission) -> str:
    name = f"{admission.scope} {admission.queue}"
    policy, status = admission.policy, admission.status
    if admission.fault:
        return f"{name}: unavailable ({admission.fault})"
    if policy is None:
        return f"{name}: no policy, {admission.in_flight} in flight"
    parts = []
    if (window := policy.window) is not None and admission.window_resets_at is not None:
        weekday = f" {window.weekday.value}" if window.weekday else ""
        parts.append(
            f"{admission.used} of {policy.max_claims_per_window} used this {window.period.value} "
            f"({window.tz}{weekday} {window.start}), resets at {format_instant(admission.window_resets_at)}"
        )
    cap = policy.max_in_flight
    parts.append(f"{admission.in_flight}{'' if cap is None else f' of {cap}'} in flight")
    state = status.state.value if status.reason is None else f"{status.state.value}: {status.reason.value}"
    return f"{name}: {state}; {'; '.join(parts)}"
