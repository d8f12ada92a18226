"""Makes what the tab loads: `python frontend/runtime/build.py [--out DIR] [--extra DIR] [--quick | --dev]`.

The result is a folder of files whose names carry a hash of their content, and a manifest.json that maps their
logical names to them. Nothing is done when nothing that goes in has changed.

With --dev nothing is compressed, and the page's own Python is no part of the memory image: a tab imports it from its
sources, and a change to them is built in half a second.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from steps import node, npm
from steps.dist import Dist
from steps.failure import BuildFailure
from steps.inputs import fingerprint, image_fingerprint, is_up_to_date
from steps.progress import Progress
from steps.sources import OURS, Sources, collect

HERE = Path(__file__).resolve().parent
SCRIPTS = [
    "preact.mjs",
    "checksum.mjs",
    "status.mjs",
    "focus.mjs",
    "navigation.mjs",
    "drafts.mjs",
    "events.mjs",
    "renderer.mjs",
    "start.mjs",
    "boot.mjs",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, or say in one sentence why not."""
    parser = argparse.ArgumentParser(description="Build the browser runtime.")
    parser.add_argument("--out", type=Path, help="where the result goes (default: dist, or build/dev)")
    parser.add_argument("--extra", type=Path, help="a folder with further Python modules for the tab (for tests)")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--quick", action="store_const", dest="quality", const="quick", help="compress less")
    kinds.add_argument("--dev", action="store_const", dest="quality", const="none", help="for a loop of changes")
    parser.add_argument("--plain-progress", action="store_true", help="plain lines, no spinner")
    parser.set_defaults(quality="best")
    options = parser.parse_args(arguments)
    out = options.out or (HERE / "build" / "dev" if options.quality == "none" else HERE / "dist")
    progress = Progress(plain=options.plain_progress)
    try:
        with _alone(HERE / "build"):
            build(out.resolve(), options.extra, options.quality, progress)
    except BuildFailure as failure:
        sys.stderr.write(f"runtime: {failure}\n")
        return 1
    return 0


def build(out: Path, extra: Path | None, quality: str, progress: Progress) -> None:
    """Bring `out` up to date."""
    npm.check_lock(HERE)
    sources = collect(HERE, extra)
    inputs = fingerprint(HERE, sources, quality)
    if is_up_to_date(out, inputs):
        progress.note(f"up to date in {out}")
        return
    with progress.step("installing pyodide and preact"):
        npm.install(HERE)
    with TemporaryDirectory(dir=HERE / "build") as work:
        dist = Dist(out, quality)
        if quality == "none":
            _make_over_an_image(Path(work), sources, progress)
        else:
            _make(Path(work), sources, progress)
        _name_files(dist, Path(work))
    with progress.step("compressing"):
        node.run(HERE / "compress.mjs", quality, stdin=json.dumps(dist.uncompressed()))
    manifest = dist.finish(inputs, _versions(sources))
    progress.note(f"{len(manifest['files'])} files in {out}")


def _make(work: Path, sources: Sources, progress: Progress, forgotten: Sequence[str] = ()) -> None:
    """Make archives and memory image; packages that are `forgotten` are in the archives alone."""
    with progress.step("gathering the tab's Python"):
        sources.add_standard_library(npm.package(HERE, "pyodide") / "python_stdlib.zip")
        sources.write(work / "sources.zip")
        (work / "modules.json").write_text(json.dumps(sources.modules()))
    with progress.step(f"compiling {sources.count()} Python files with the tab's own Python"):
        node.run(HERE / "compile.mjs", work / "sources.zip", work / "python.zip")
    with progress.step("importing them and saving the memory"):
        node.run(
            HERE / "snapshot.mjs",
            *(work / name for name in ("python.zip", "modules.json", "rest.zip", "memory.bin", "memory.json")),
            *forgotten,
        )


def _make_over_an_image(work: Path, sources: Sources, progress: Progress) -> None:
    """The same from an earlier image, where nothing but the page's own Python has changed since."""
    image = HERE / "build" / "dev-image"
    image.mkdir(exist_ok=True)
    stamp, inputs = image / "inputs", image_fingerprint(HERE, sources)
    if not stamp.exists() or stamp.read_text("utf-8") != inputs:
        stamp.unlink(missing_ok=True)
        _make(image, sources, progress, OURS)
        stamp.write_text(inputs, "utf-8")
    for name in ("python.zip", "rest.zip"):
        sources.write_over(image / name, work / name)
    for name in ("memory.bin", "memory.json"):
        (work / name).symlink_to(image / name)


def _name_files(dist: Dist, work: Path) -> None:
    pyodide, preact = npm.package(HERE, "pyodide"), npm.package(HERE, "preact")
    dist.add(pyodide / "pyodide.asm.mjs")
    dist.add(pyodide / "pyodide.mjs")
    wasm = dist.add_in_folder("pyodide", pyodide / "pyodide.asm.wasm")
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))
    dist.add_module(
        "files.mjs",
        urls={
            "indexURL": f"{wasm.folder}/",
            "python": dist.add(work / "python.zip").name,
            "rest": dist.add(work / "rest.zip").name,
            "memory": dist.add(work / "memory.bin").name,
        },
        values={
            "lockInfo": lock["info"],
            "memoryImage": json.loads((work / "memory.json").read_text("utf-8")),
        },
    )
    for name in SCRIPTS:
        dist.add(preact / "dist" / name if name == "preact.mjs" else HERE / name)


def _versions(sources: Sources) -> dict[str, str]:
    return {**npm.versions(HERE), **sources.versions()}


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one build at a time work in this checkout."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
