"""A listing whose address asks for what there is not: nothing is listed, least of all more than was asked for."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.page_link import page_link
from switchboard_ui.core.places import Place
from switchboard_wire.errors import SwitchboardError


def refused_address(place: Place, error: SwitchboardError) -> Any:
    return html.div(
        {"class": "problem", "id": "refused-address"},
        html.h2("This address cannot be used"),
        html.p(html.code(error.field or ""), ": ", error.message),
        html.p(page_link(place.path, f"{place.heading} without a filter")),
    )
