"""Every refusal has one code, one status and one JSON shape."""

from __future__ import annotations

from switchboard_wire.errors import HTTP_STATUS, ErrorCode, SwitchboardError, invalid


def test_every_code_has_the_status_of_the_reference() -> None:
    assert {code.value: status for code, status in HTTP_STATUS.items()} == {
        "invalid_argument": 400,
        "unauthenticated": 401,
        "forbidden": 403,
        "read_only": 403,
        "not_found": 404,
        "method_not_allowed": 405,
        "conflict": 409,
        "deferred": 409,
        "payload_too_large": 413,
        "unsupported_media_type": 415,
        "rate_limited": 429,
        "internal": 500,
        "unavailable": 503,
        "read_deadline_exceeded": 503,
        "read_statement_timeout": 503,
        "read_lock_timeout": 503,
    }
    assert set(HTTP_STATUS) == set(ErrorCode)


def test_an_error_is_code_and_message_with_a_field_and_details_where_there_are_any() -> None:
    assert SwitchboardError(ErrorCode.NOT_FOUND, "Gone.").body() == {"error": {"code": "not_found", "message": "Gone."}}
    assert SwitchboardError(
        ErrorCode.DEFERRED, "Wait.", field="todo_id", details={"queue": "q", "reason": "paused"}
    ).body() == {
        "error": {"code": "deferred", "message": "Wait.", "field": "todo_id", "queue": "q", "reason": "paused"}
    }
    assert invalid("", "Wrong.").field == "body"
