"""RFC 3339 instants: always with an offset, always aware, in UTC once decoded."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# datetime.fromisoformat takes far more than RFC 3339 (weeks, missing seconds, naive times): check the form first.
_RFC3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)


def parse_instant(text: str) -> datetime:
    """An aware datetime in UTC, to the microsecond. Raises ValueError with a sentence fit for the sender."""
    if not _RFC3339.fullmatch(text):
        raise ValueError("Give a date and time with an offset, such as 2026-11-02T08:00:00Z.")
    whole, fraction, offset = re.fullmatch(r"(.{19})(\.\d+)?(.+)", text).groups()  # type: ignore[union-attr]
    try:
        parsed = datetime.fromisoformat(whole.upper() + (fraction or "")[:7] + offset.upper())
        return parsed.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("This date and time does not exist.") from error


def format_instant(instant: datetime) -> str:
    """UTC with a trailing Z; microseconds only when there are any."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
