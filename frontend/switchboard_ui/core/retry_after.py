"""The Retry-After header, whatever a proxy puts into it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

# More digits than this say nothing that the scheduler's own maximum would not cut off anyway.
_MOST_DIGITS = 9
_LONGEST = 1e9


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, 0 to 1e9; None when the header is absent or means nothing.

    A date is measured against the answer's own Date header: the browser's clock may be wrong by hours.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        digits = value.lstrip("0")
        return _LONGEST if len(digits) > _MOST_DIGITS else float(digits or "0")
    until, since = _date(value), _date(headers.get("date", ""))
    if until is None or since is None:
        return None
    return min(max((until - since).total_seconds(), 0.0), _LONGEST)


def _date(value: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value.strip())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed if parsed.tzinfo is not None else None
