"""What one side writes, the other side reads as the same value; what neither may send is refused."""

from __future__ import annotations

import dataclasses
import json
import typing
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.http.answers import encode
from switchboard_wire import admission, dead_letters, operator, operator_actions, reads, todo, worker
from switchboard_wire.decoder import decode_json
from switchboard_wire.encode import encode_json, to_plain
from switchboard_wire.envelope import Observation
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.shape import decode
from tests.support.wire_values import request_members, values_of

ANSWERS = [
    admission.AdmissionStatus,
    admission.ClaimAdmission,
    admission.DeferredQueue,
    admission.QueueAdmission,
    dead_letters.DlqDepth,
    dead_letters.DeadLetterDetail,
    dead_letters.DlqPageAnswer,
    dead_letters.Purged,
    dead_letters.RetriedMatching,
    operator.AuditRecord,
    operator.PolicyView,
    operator.PolicyList,
    operator_actions.CanceledJobs,
    operator_actions.Drained,
    operator_actions.OperatorAuditPage,
    operator_actions.QueueChanged,
    operator_actions.RetriedJobs,
    reads.Capabilities,
    reads.JobsPage,
    reads.QueuesPage,
    todo.Todo,
    todo.TodoSummary,
    worker.AdmissionStatuses,
    worker.Changed,
    worker.Completed,
    worker.Claimed,
    worker.ClaimNextAnswer,
    worker.Enqueued,
    worker.TodoHistory,
    worker.TodoList,
    Observation,
]
REQUESTS = [
    dead_letters.DlqPage,
    dead_letters.MoveBody,
    operator_actions.JobIds,
    worker.AskAdmissionStatus,
    worker.Claim,
    worker.ClaimNext,
    worker.Complete,
    worker.Enqueue,
    worker.Fail,
    worker.GetTodo,
    worker.Heartbeat,
    worker.ListTodos,
    worker.Release,
]


@pytest.mark.parametrize("shape", ANSWERS, ids=lambda shape: shape.__name__)
@settings(max_examples=15)
@given(data=st.data())
def test_an_answer_is_read_back_as_it_was_written_by_either_encoder(shape: type[Any], data: st.DataObject) -> None:
    value = data.draw(values_of(shape))
    assert decode(shape, decode_json(encode_json(value))) == value
    assert decode(shape, decode_json(encode(value))) == value


@pytest.mark.parametrize("shape", REQUESTS, ids=lambda shape: shape.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_a_request_is_read_as_it_was_sent(shape: type[Any], data: st.DataObject) -> None:
    asked = data.draw(values_of(shape))
    assert decode(shape, decode_json(json.dumps(request_members(asked)))) == asked


@pytest.mark.parametrize("shape", REQUESTS, ids=lambda shape: shape.__name__)
@settings(max_examples=25)
@given(data=st.data(), name=st.text(max_size=5).filter(lambda name: name.isprintable() and name))
def test_a_request_with_one_unknown_member_is_refused_for_it(shape: type[Any], data: st.DataObject, name: str) -> None:
    members = request_members(data.draw(values_of(shape)))
    known = {field.name for field in dataclasses.fields(shape)}
    if name in known:
        return
    with pytest.raises(SwitchboardError) as refusal:
        decode(shape, members | {name: 1})
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.INVALID_ARGUMENT, name)


@pytest.mark.parametrize("shape", REQUESTS, ids=lambda shape: shape.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_a_request_with_one_member_of_the_wrong_type_is_refused_for_it(shape: type[Any], data: st.DataObject) -> None:
    members = request_members(data.draw(values_of(shape)))
    hints = typing.get_type_hints(shape)
    wrong_for = {
        name: wrong
        for name, hint in hints.items()
        for kind, wrong in ((int, "1"), (str, 1), (bool, 0), (tuple, {}))
        if hint is not Any and (hint is kind or kind in typing.get_args(hint) or typing.get_origin(hint) is kind)
    }
    name = data.draw(st.sampled_from(sorted(wrong_for)))
    with pytest.raises(SwitchboardError) as refusal:
        decode(shape, members | {name: wrong_for[name]})
    assert (refusal.value.code, refusal.value.field) == (ErrorCode.INVALID_ARGUMENT, name)


@settings(max_examples=25)
@given(data=st.data())
def test_a_client_lets_an_answer_grow_at_every_depth(data: st.DataObject) -> None:
    page = data.draw(values_of(reads.QueuesPage))

    def grown(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: grown(member) for name, member in value.items()} | {"newer": [1]}
        return [grown(member) for member in value] if isinstance(value, list) else value

    assert decode(reads.QueuesPage, grown(to_plain(page)), refuse_unknown=False) == page


def test_both_encoders_write_the_same_bytes() -> None:
    status = admission.AdmissionStatus(admission.AdmissionState.DEFERRED, admission.DeferralReason.PAUSED)
    expected = b'{"state":"deferred","reason":"paused","next_eligible_at":null,"exact":null}'
    assert encode(status) == expected
    assert encode_json(status).encode() == expected
    assert orjson.loads(expected) == to_plain(status)
