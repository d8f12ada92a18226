"""switchboard dev: what counts as a change, and what is not worth a server."""

from __future__ import annotations

from pathlib import Path

from switchboard.cli.dev import syntax_error
from switchboard.cli.file_changes import FileChanges


def test_what_was_added_written_or_removed_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    kept, written, removed = (tmp_path / "pages" / name for name in ("kept.py", "written.py", "removed.py"))
    for file in (kept, written, removed):
        file.write_text("one = 1\n")
    files = FileChanges([tmp_path], [".py"])
    assert files.since_last_time() == []
    written.write_text("more = 10\n")
    removed.unlink()
    added = tmp_path / "added.py"
    added.write_text("")
    assert files.since_last_time() == [added, removed, written]
    assert files.since_last_time() == []


def test_what_a_build_writes_and_other_kinds_of_files_are_no_change(tmp_path: Path) -> None:
    for folder in ("build", "dist", "node_modules", "__pycache__"):
        (tmp_path / folder).mkdir()
    files = FileChanges([tmp_path], [".py"])
    for folder in ("build", "dist", "node_modules", "__pycache__"):
        (tmp_path / folder / "made.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert files.since_last_time() == []


def test_a_syntax_error_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    good, bad, gone = tmp_path / "good.py", tmp_path / "bad.py", tmp_path / "gone.py"
    good.write_text("one = 1\n")
    bad.write_text("one = 1\ntwo = = 2\n")
    assert syntax_error([good, gone]) is None
    told = syntax_error([good, bad])
    assert told is not None
    assert told.startswith(f'  File "{bad}", line 2\n')
    assert told.endswith("SyntaxError: invalid syntax\n")
