"""Links between the documents lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(document: Path) -> None:
    targets = [link for link in LINK.findall(document.read_text(encoding="utf-8")) if "://" not in link]
    missing = [link for link in targets if not (document.parent / link).exists()]
    assert missing == []
