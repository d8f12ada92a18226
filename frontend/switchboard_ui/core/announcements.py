"""What the polite live region says: edited sentences about changes, nothing about unchanged polls (D34)."""

from __future__ import annotations

from switchboard_ui.core.board_view import BoardView, QueueCard


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


def _sentence(card: QueueCard) -> str:
    if card.reason is None:
        return f"Queue {card.name} admits claims again."
    until = f", resets at {card.resets.text}" if card.reason == "window_exhausted" and card.resets else ""
    return f"Queue {card.name}: {card.status}{until}."
