"""A root that cannot even be made."""

from __future__ import annotations

from typing import Any

from switchboard_ui.ports import Ports


def root(ports: Ports) -> Any:
    raise LookupError("no such page")
