"""The page's one polite live region: edited sentences, at most one at a time (D34)."""

from __future__ import annotations

from collections.abc import Callable

PAUSE_SECONDS = 10.0
"""Between two sentences that nobody asked for."""
SHOWN_SECONDS = 7.0
"""Then the region is empty again, so that a reader who browses does not find old news."""

News = Callable[[], str | None]
"""One sentence on what is new since the last call, or None. Only called when it would be spoken."""


class Voice:
    """Listened to about once a second. What changed and changed back between two sentences is never told."""

    def __init__(self) -> None:
        self._sources: list[News] = []
        self._answer: str | None = None
        self._text = ""
        self._spoke_at = float("-inf")

    def answer(self, sentence: str) -> None:
        """What came of the person's own act: spoken next, whatever was said just now. The latest one counts."""
        self._answer = sentence

    def follow(self, news: News) -> Callable[[], None]:
        """Ask this source, too, until the returned function is called. Those that came first are asked first."""
        self._sources.append(news)
        return lambda: self._sources.remove(news)

    def listen(self, now: float) -> str:
        """What the region holds at monotonic instant `now`."""
        if self._answer is not None:
            self._say(self._answer, now)
            self._answer = None
        elif now - self._spoke_at >= PAUSE_SECONDS:
            sentence = next((said for source in self._sources if (said := source()) is not None), None)
            if sentence is None:
                self._text = ""
            else:
                self._say(sentence, now)
        elif now - self._spoke_at >= SHOWN_SECONDS:
            self._text = ""
        return self._text

    def _say(self, sentence: str, now: float) -> None:
        self._text, self._spoke_at = sentence, now
