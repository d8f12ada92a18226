"""A column chart: the picture, its summary in words, and its figures as a table."""

from __future__ import annotations

from typing import Any

from reactpy import Vdom, html

from switchboard_ui.core.chart import Chart, Column

_svg, _rect, _line = Vdom("svg"), Vdom("rect"), Vdom("line")
_STEP, _GAP, _TALL = 10, 2, 100
_FEWEST = 14
"""Slots of a chart: a few columns stand at its right end, and are no wider than many."""


def chart(name: str, view: Chart) -> Any:
    """`name` becomes the ids' stem. Unknown columns are dashed frames of full height, unfinished ones are hollow."""
    empty = max(_FEWEST - len(view.columns), 0)
    width = (empty + len(view.columns)) * _STEP
    shapes = [_column(empty + place, column) for place, column in enumerate(view.columns)]
    if view.limit is not None:
        at = f"{_TALL * (1 - view.limit[0]):.1f}"
        shapes.append(_line({"class": "limit", "key": "limit", "x1": "0", "x2": str(width), "y1": at, "y2": at}))
    ends = list(dict.fromkeys(column.label for column in (*view.columns[:1], *view.columns[-1:])))
    if empty:
        ends = [" to ".join(ends)]
    return html.figure(
        {"class": "chart", "id": name},
        html.figcaption(
            html.span({"class": "chart-heading", "id": f"{name}-heading"}, view.heading),
            html.span({"id": f"{name}-summary"}, view.summary),
        ),
        html.p({"class": "chart-top quiet"}, view.top, "" if view.limit is None else f" ┄ {view.limit[1]}"),
        _svg(
            {
                "viewBox": f"0 0 {width} {_TALL}",
                "preserveAspectRatio": "none",
                "role": "img",
                "aria-labelledby": f"{name}-heading {name}-summary",
            },
            *shapes,
        ),
        html.p({"class": "chart-ends quiet"}, *(html.span({"key": str(place)}, end) for place, end in enumerate(ends))),
        html.details(
            html.summary("Figures", html.span({"class": "unseen"}, f" of {view.heading}")),
            html.div(
                {"class": "scroller", "role": "region", "tabindex": "0", "aria-labelledby": f"{name}-heading"},
                _figures(name, view),
            ),
        ),
    )


def _figures(name: str, view: Chart) -> Any:
    rows = (
        html.tr({"key": str(place)}, html.th({"scope": "row"}, column.label), html.td(column.text))
        for place, column in enumerate(view.columns)
    )
    return html.table(
        {"class": "data", "aria-labelledby": f"{name}-heading"},
        html.thead(html.tr(html.th({"scope": "col"}, "From"), html.th({"scope": "col"}, view.heading))),
        html.tbody(*rows),
    )


def _column(place: int, column: Column) -> Any:
    known = column.height is not None
    tall = _TALL * min(column.height if column.height is not None else 1.0, 1.0)
    return _rect(
        {
            "key": str(place),
            "class": "unfinished" if known and column.unfinished else "known" if known else "unknown",
            "x": str(place * _STEP + _GAP // 2),
            "y": f"{_TALL - tall:.1f}",
            "width": str(_STEP - _GAP),
            "height": f"{tall:.1f}",
        }
    )
