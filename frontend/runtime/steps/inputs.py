"""Tells whether a result still fits what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from steps import node
from steps.dist import read_manifest
from steps.sources import Sources, is_ours

_MAKE_THE_IMAGE = ("compile.mjs", "snapshot.mjs", "checksum.mjs")


def fingerprint(here: Path, sources: Sources, quality: str) -> str:
    """A hash over everything that goes in."""
    return _hash(here, sources.files, [*here.glob("*.mjs"), *here.glob("*.py")], quality)


def image_fingerprint(here: Path, sources: Sources) -> str:
    """A hash over what goes into a memory image without the page's own Python."""
    files = {name: data for name, data in sources.files.items() if not is_ours(name)}
    return _hash(here, files, [here / name for name in _MAKE_THE_IMAGE], "dev")


def _hash(here: Path, files: Mapping[str, bytes], scripts: list[Path], quality: str) -> str:
    parts: list[tuple[str, bytes]] = list(files.items())
    own = [*scripts, *here.glob("steps/*.py"), here / "package-lock.json"]
    parts += [(f"runtime/{path.relative_to(here).as_posix()}", path.read_bytes()) for path in own]
    parts.append(("node", node.version().encode()))
    parts.append(("quality", quality.encode()))
    total = sha256()
    for name, data in sorted(parts):
        total.update(f"{name}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()


def is_up_to_date(out: Path, inputs: str) -> bool:
    """Whether `out` was made from these inputs and is still whole."""
    manifest = read_manifest(out)
    if manifest.get("inputs") != inputs:
        return False
    entries = manifest["files"].values()
    forms = [form for entry in entries for form in (entry, *entry["encodings"].values())]
    return all((out / form["name"]).is_file() and (out / form["name"]).stat().st_size == form["size"] for form in forms)
