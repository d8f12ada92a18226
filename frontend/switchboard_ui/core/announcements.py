"""What the polite live region says: edited sentences about changes, nothing about unchanged polls (D34)."""

from __future__ import annotations

from switchboard_ui.core.board_view import BoardView, QueueCard
from switchboard_ui.core.freshness_view import READING, FreshnessView

PAUSE_SECONDS = 10.0
"""Between two sentences that nobody asked for."""
SHOWN_SECONDS = 7.0
"""Then the region is empty again, so that a reader who browses does not find old news."""


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


def trust_announcement(before: FreshnessView, after: FreshnessView) -> str | None:
    """One sentence when updates fail or are paused, and one when they are back; nothing while either lasts."""
    if after.trouble or after.state == "paused":
        if (before.trouble and after.trouble) or before.state == after.state == "paused":
            return None
        # The first sentence says it; ages and waiting times that follow are no news.
        return f"{after.text.partition('. ')[0].removesuffix('.')}."
    if after.state == "fresh" and (before.trouble or before.state == "paused"):
        return "The board is up to date again."
    return None


def filter_announcement(view: BoardView, wanted: str) -> str | None:
    """How many queues the filter leaves."""
    if view.queues is None:
        return None
    shown, total = view.matching(wanted).queues or (), len(view.queues)
    return f"Showing {len(shown)} of {total} queues." if wanted.strip() else f"Showing all {total} queues."


class Announcer:
    """Listens about once a second. What changed and changed back between two sentences is never told."""

    def __init__(self) -> None:
        self._view = BoardView(None)
        self._trust = READING
        self._wanted = ""
        self._text = ""
        self._spoke_at = float("-inf")

    def listen(self, view: BoardView, trust: FreshnessView, wanted: str, now: float) -> str:
        """What the region holds at monotonic instant `now`. `wanted` is the filter's text, `view` all queues."""
        own = None if wanted == self._wanted else filter_announcement(view, wanted)
        self._wanted = wanted
        if own is not None:
            self._text, self._spoke_at = own, now
        elif now - self._spoke_at >= PAUSE_SECONDS:
            self._speak(view, trust, now)
        elif now - self._spoke_at >= SHOWN_SECONDS:
            self._text = ""
        return self._text

    def _speak(self, view: BoardView, trust: FreshnessView, now: float) -> None:
        sentence = announcement(self._view, view)
        self._view = view
        if sentence is None:
            sentence = trust_announcement(self._trust, trust)
            if trust.trouble or trust.state in ("fresh", "paused"):
                self._trust = trust
        if sentence is None:
            self._text = ""
        else:
            self._text, self._spoke_at = sentence, now


def _sentence(card: QueueCard) -> str:
    if card.reason is None:
        return f"Queue {card.name} admits claims again."
    until = f", resets at {card.resets.text}" if card.reason == "window_exhausted" and card.resets else ""
    return f"Queue {card.name}: {card.status}{until}."
