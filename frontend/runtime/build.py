"""Makes what the tab loads: `python frontend/runtime/build.py [--out DIR] [--extra DIR] [--quick] [--plain-progress]`.

The result is a folder of files whose names carry a hash of their content, and a manifest.json that maps their
logical names to them. Nothing is done when nothing that goes in has changed.
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
from steps.inputs import fingerprint, is_up_to_date
from steps.progress import Progress
from steps.sources import Sources, collect

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
    parser.add_argument("--out", type=Path, default=HERE / "dist", help="where the result goes (default: %(default)s)")
    parser.add_argument("--extra", type=Path, help="a folder with further Python modules for the tab (for tests)")
    parser.add_argument("--quick", action="store_true", help="compress less")
    parser.add_argument("--plain-progress", action="store_true", help="plain lines, no spinner")
    options = parser.parse_args(arguments)
    progress = Progress(plain=options.plain_progress)
    try:
        with _alone(HERE / "build"):
            build(options.out.resolve(), options.extra, "quick" if options.quick else "best", progress)
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
        _make(dist, Path(work), sources, progress)
    with progress.step("compressing"):
        node.run(HERE / "compress.mjs", quality, stdin=json.dumps(dist.uncompressed()))
    manifest = dist.finish(inputs, _versions(sources))
    progress.note(f"{len(manifest['files'])} files in {out}")


def _make(dist: Dist, work: Path, sources: Sources, progress: Progress) -> None:
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
        )
    _name_files(dist, work)


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
