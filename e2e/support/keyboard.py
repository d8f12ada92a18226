"""The page by the Tab key alone."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page

FOCUSED = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const style = getComputedStyle(node), box = node.getBoundingClientRect();
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return {
    ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    seen: box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
    uncovered: at !== null && (at === node || node.contains(at)),
  };
}"""


@dataclass(frozen=True)
class Stop:
    """One stop of the walk: role and name as a screen reader has them, and what an eye sees of the focus."""

    role: str
    name: str
    ring: float
    seen: bool
    uncovered: bool

    @property
    def is_visible(self) -> bool:
        return self.ring >= 2 and self.seen and self.uncovered


def walk(page: Page, key: str = "Tab", most: int = 60) -> list[Stop]:
    """Every stop until focus leaves the document or, with no other place to go to, is back at the first one."""
    stops: list[Stop] = []
    first = None
    for _ in range(most):
        page.keyboard.press(key)
        facts = page.evaluate(FOCUSED)
        if facts is None or (first and first.evaluate("node => node === document.activeElement")):
            return stops
        first = first or page.evaluate_handle("document.activeElement")
        # '- link "Sign out":' with what is in it on further lines
        line = page.locator("*:focus").aria_snapshot().splitlines()[0].removeprefix("- ").removesuffix(":")
        role, _, name = line.partition(" ")
        stops.append(Stop(role, name.partition('"')[2].rpartition('"')[0], **facts))
    raise AssertionError(f"the walk does not end: {stops}")
