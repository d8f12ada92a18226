"""What a release asks of its operators is written down with it (observation contract, increment 1)."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_upgrade_notes_tell_what_an_older_replica_does_to_filtered_views_and_how_to_route_around_it() -> None:
    notes = " ".join((ROOT / "UPGRADING.md").read_text(encoding="utf-8").split())
    assert "`POST /api/v1/jobs/query` is answered by servers of this release and later only." in notes
    assert "it then says that the filter is not supported, and never shows unfiltered rows in its place" in notes
    assert "Route one browser to one release (by cookie or by path) while you roll" in notes
