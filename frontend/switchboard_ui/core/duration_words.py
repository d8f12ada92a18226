"""How long something took, in words."""

from __future__ import annotations


def duration_text(milliseconds: int) -> str:
    """ "340 ms", "2.5 s", "3 min 5 s", "2 h 7 min"."""
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1_000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
