"""The demo's people, endpoints, queues and budgets; made once, found again on every later start."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from switchboard.service.services import Services
from switchboard_wire.errors import ErrorCode, SwitchboardError

from .api_client import CLI_FILE

DEMO_FILE = "demo.json"
OPERATOR, OTHER = "ada", "grace"
ZONE = "America/Los_Angeles"


@dataclass(frozen=True, slots=True)
class DemoQueue:
    """A queue of an endpoint with its policy (the body of PUT), None for none."""

    endpoint: str
    name: str
    policy: dict[str, Any] | None


ENDPOINTS = {"research": OPERATOR, "builder": OPERATOR, "mailer": OTHER}
QUEUES = (
    DemoQueue(
        "research",
        "investigations",
        {"max_claims_per_window": 30, "window": {"period": "hour", "tz": ZONE, "start": "00:00"}},
    ),
    DemoQueue("research", "triage", None),
    DemoQueue("builder", "builds", {"max_in_flight": 2}),
    DemoQueue("mailer", "newsletters", {"max_in_flight": 0}),
    DemoQueue("mailer", "receipts", None),
)


@dataclass(frozen=True, slots=True)
class DemoAccess:
    """What the demo's workers and its reader need; kept in the data folder, for its owner only."""

    password: str
    operator_token: str
    credentials: dict[str, str]


async def seed(services: Services, data: Path) -> DemoAccess:
    """Idempotent. What an operator changed since the first start (a policy, say) is left as it is."""
    password = _stored(data).get("password") or secrets.token_urlsafe(9)
    for name in (OPERATOR, OTHER):
        try:
            await services.accounts.add_human(name, password, operator=name == OPERATOR)
        except SwitchboardError as error:
            if error.code is not ErrorCode.CONFLICT:
                raise
            await services.accounts.set_password(await services.accounts.human(name), password)
    credentials = {slug: await _credential(services, data, slug, human) for slug, human in ENDPOINTS.items()}
    operator = await services.accounts.human(OPERATOR)
    access = DemoAccess(password, await services.accounts.new_operator_token(operator, "demo"), credentials)
    _write(data / DEMO_FILE, asdict(access))
    return access


def remember_server(data: Path, url: str, token: str) -> None:
    """So that `switchboard queue budget` in this folder needs no options."""
    _write(data / CLI_FILE, {"url": url, "token": token})


async def _credential(services: Services, data: Path, slug: str, human: str) -> str:
    stored = _stored(data).get("credentials", {}).get(slug)
    if stored and await services.callers.endpoint(stored):
        return str(stored)
    owner = await services.accounts.human(human)
    queues = [queue for queue in QUEUES if queue.endpoint == slug]
    try:
        credential = await services.endpoints.add(owner, slug, [queue.name for queue in queues])
    except SwitchboardError as error:
        if error.code is not ErrorCode.CONFLICT:
            raise
        return await services.endpoints.renew(slug)
    for queue in queues:
        if queue.policy is not None:
            await services.policies.set(owner, f"endpoint:{slug}", queue.name, queue.policy)
    return credential


def _stored(data: Path) -> dict[str, Any]:
    try:
        value = json.loads((data / DEMO_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(path: Path, value: dict[str, Any]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file)
