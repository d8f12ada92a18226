"""Operations, one a row."""

from __future__ import annotations

from typing import Any

from reactpy import html

from switchboard_ui.components.cancel_operation import cancel_operation
from switchboard_ui.components.data_table import Column, cell, data_table, number
from switchboard_ui.components.operation_progress import operation_progress
from switchboard_ui.components.page_link import page_link
from switchboard_ui.components.zoned import zoned
from switchboard_ui.core.operations_view import OperationRow
from switchboard_ui.core.page_context import PageContext

_COLUMNS = (
    Column("Operation"),
    Column("What"),
    Column("State"),
    Column("Progress"),
    Column("Changed", numeric=True),
    Column("Left alone", numeric=True),
    Column("Conflict", numeric=True),
    Column("Gone", numeric=True),
    Column("Who"),
    Column("Submitted"),
)


def operations_table(name: str, caption: str, rows: list[Any]) -> Any:
    return data_table(name, caption, _COLUMNS, rows, empty="No operation has been submitted.")


def operation_table_row(context: PageContext, row: OperationRow) -> Any:
    return html.tr(
        {"data-operation": str(row.id)},
        html.th({"scope": "row"}, page_link(f"/operations/{row.id}", f"Operation {row.id}")),
        cell(html.strong(row.what), f" {row.named_set}"),
        cell(operation_state(row), " ", cancel_operation(context, row, key="cancel")),
        cell(operation_progress(f"progress-{row.id}", row.progress)),
        number(row.changed),
        number(row.skipped),
        number(row.conflict),
        number(row.gone),
        cell(row.who),
        cell(zoned(row.submitted)),
    )


def operation_state(row: OperationRow) -> Any:
    return html.span({"class": f"state {row.kind}", "data-state": row.kind}, row.state)
