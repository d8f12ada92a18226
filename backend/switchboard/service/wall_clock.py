"""The server's wall clock, for the times an answer tells of itself. It decides no claim, lease or window (D12)."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the file that owns it
