"""What the polite live region says: edited sentences about changes, nothing about unchanged polls (D34)."""

from __future__ import annotations

from collections.abc import Callable

from switchboard_ui.core.board_view import BoardView, QueueCard
from switchboard_ui.core.freshness_view import FreshnessView, is_or_are, reading


def announcement(before: BoardView, after: BoardView) -> str | None:
    """One sentence on what changed for a listener, or None. The first data is no change."""
    if before.queues is None or after.queues is None:
        return None
    known = {card.id: card for card in before.queues}
    changed = [card for card in after.queues if card.id in known and card.status != known[card.id].status]
    if not changed:
        return None
    if len(changed) > 1:
        return f"{len(changed)} queues changed: " + ", ".join(f"{card.name} {card.status}" for card in changed) + "."
    return _sentence(changed[0])


def trust_announcement(before: FreshnessView, after: FreshnessView, what: str) -> str | None:
    """One sentence when updates fail or are paused, and one when they are back; nothing while either lasts."""
    if after.trouble or after.state == "paused":
        if (before.trouble and after.trouble) or before.state == after.state == "paused":
            return None
        # The first sentence says it; ages and waiting times that follow are no news.
        return f"{after.text.partition('. ')[0].removesuffix('.')}."
    if after.state == "fresh" and (before.trouble or before.state == "paused"):
        return f"{what[0].upper()}{what[1:]} {is_or_are(what)} up to date again."
    return None


def filter_announcement(view: BoardView, wanted: str) -> str | None:
    """How many queues the filter leaves."""
    if view.queues is None:
        return None
    shown, total = view.matching(wanted).queues or (), len(view.queues)
    return f"Showing {len(shown)} of {total} queues." if wanted.strip() else f"Showing all {total} queues."


class BoardNews:
    """What changed on the board since it was last told. `view` gives all queues as they are now."""

    def __init__(self, view: Callable[[], BoardView]) -> None:
        self._view = view
        self._told = BoardView(None)

    def __call__(self) -> str | None:
        before, self._told = self._told, self._view()
        return announcement(before, self._told)


class TrustNews:
    """Whether figures ceased to be read, are paused, or are back since it was last told."""

    def __init__(self, trust: Callable[[], FreshnessView], what: str) -> None:
        self._trust = trust
        self._what = what
        self._told = reading(what)

    def __call__(self) -> str | None:
        now = self._trust()
        sentence = trust_announcement(self._told, now, self._what)
        if now.trouble or now.state in ("fresh", "paused"):
            self._told = now
        return sentence


def _sentence(card: QueueCard) -> str:
    if card.reason is None:
        return f"Queue {card.name} admits claims again."
    until = f", resets at {card.resets.text}" if card.reason == "window_exhausted" and card.resets else ""
    return f"Queue {card.name}: {card.status}{until}."
