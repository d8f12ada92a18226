"""What operations carry: answers that read back as written, and sets that are named in one way only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.http.answers import encode
from switchboard_wire.decoder import decode_json
from switchboard_wire.encode import encode_json
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.job_filter import JobFilter
from switchboard_wire.operations import (
    Operation,
    OperationAsk,
    OperationKind,
    OperationPreview,
    OperationsPage,
    PreviewBody,
    operation_ask,
)
from switchboard_wire.shape import decode
from tests.support.wire_values import values_of


@pytest.mark.parametrize("shape", [Operation, OperationsPage, OperationPreview], ids=lambda shape: shape.__name__)
@settings(max_examples=15)
@given(data=st.data())
def test_an_answer_is_read_back_as_it_was_written_by_either_encoder(shape: type[Any], data: st.DataObject) -> None:
    value = data.draw(values_of(shape))
    assert decode(shape, decode_json(encode_json(value))) == value
    assert decode(shape, decode_json(encode(value))) == value


def test_everything_is_named_by_all_with_an_empty_filter() -> None:
    ask = operation_ask(PreviewBody(OperationKind.PURGE, {}, all=True))
    assert ask == OperationAsk(OperationKind.PURGE, JobFilter(), None, True)


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (
            PreviewBody(OperationKind.PURGE, {"queue": "q"}, all=True),
            "all",
            "This means every job, and a filter was given: leave one of them out.",
        ),
        (
            PreviewBody(OperationKind.PURGE, {}),
            "filter",
            "An empty filter means every job: say so with all.",
        ),
        (PreviewBody(OperationKind.MOVE, {"queue": "q"}), "queue", "Name the queue to move to."),
        (PreviewBody(OperationKind.RETRY, {"queue": "q"}, queue="r"), "queue", "Only a move takes a queue."),
    ],
)
def test_a_set_that_is_named_in_two_ways_or_in_none_is_refused(body: PreviewBody, field: str, message: str) -> None:
    with pytest.raises(SwitchboardError) as refused:
        operation_ask(body)
    assert (refused.value.field, refused.value.message) == (field, message)
