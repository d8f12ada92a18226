"""A table of data: caption, column and row headers, and a region of its own to scroll in where the page is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reactpy import html


@dataclass(frozen=True, slots=True)
class Column:
    """`numeric` columns are set flush right. `heading` may be an element: a checkbox for the whole page, say."""

    heading: Any
    numeric: bool = False


def data_table(name: str, caption: Any, columns: Sequence[Column], rows: Sequence[Any], empty: Any = None) -> Any:
    """`name` becomes the ids' stem. Each of `rows` is a keyed table row whose first header cell has scope "row".

    `empty`: said in place of the table when there are no rows.
    """
    if not rows and empty is not None:
        return html.p({"class": "quiet", "id": f"{name}-empty"}, empty)
    # The caption stands outside of the table, so that it does not scroll away with it.
    label = f"{name}-caption"
    table = html.div(
        {"class": "scroller", "role": "region", "tabindex": "0", "aria-labelledby": label},
        html.table(
            {"class": "data", "id": name, "aria-labelledby": label},
            html.thead(
                html.tr(
                    *(
                        html.th(
                            {"key": str(place), "scope": "col", "class": "number" if column.numeric else None},
                            column.heading,
                        )
                        for place, column in enumerate(columns)
                    )
                )
            ),
            html.tbody(*rows),
        ),
    )
    return html.div({"class": "table"}, html.p({"class": "caption", "id": label}, caption), table)


def cell(*content: Any) -> Any:
    return html.td(*content)


def number(*content: Any) -> Any:
    """A cell of figures that people compare down the column."""
    return html.td({"class": "number"}, *content)
