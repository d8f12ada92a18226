"""Installs what npm contributes, exactly as the lock says."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from steps import node
from steps.failure import BuildFailure

_DIRECT = ("preact", "pyodide")


def check_lock(here: Path) -> None:
    """Refuse a lock that would install anything without comparing its hash, or from a fixed address."""
    wanted = json.loads((here / "package.json").read_text("utf-8"))["dependencies"]
    packages = _lock(here)["packages"]
    for path, entry in packages.items():
        if path and not entry.get("integrity", "").startswith("sha512-"):
            raise BuildFailure(f"package-lock.json has no sha512 hash for {path}; make the lock anew")
        if "resolved" in entry:
            raise BuildFailure(f"package-lock.json names an address for {path}; make the lock anew with our .npmrc")
    for name in _DIRECT:
        if packages.get(f"node_modules/{name}", {}).get("version") != wanted.get(name):
            raise BuildFailure(f"package.json and package-lock.json disagree about {name}; make the lock anew")


def install(here: Path) -> None:
    """Run `npm ci`, which compares each package with its hash, unless it was run for this lock before."""
    stamp = here / "node_modules" / ".installed"
    lock = sha256((here / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == lock:
        return
    npm = node.root() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    try:
        node.run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=here)
    except BuildFailure as failure:
        raise BuildFailure(
            f"npm could not install pyodide and preact (is the registry within reach?): {failure}"
        ) from None
    stamp.write_text(lock, "utf-8")


def package(here: Path, name: str) -> Path:
    """The folder of an installed package."""
    return here / "node_modules" / name


def versions(here: Path) -> dict[str, str]:
    """The versions of what the tab gets from npm."""
    packages = _lock(here)["packages"]
    return {name: packages[f"node_modules/{name}"]["version"] for name in _DIRECT}


def _lock(here: Path) -> dict[str, Any]:
    lock: dict[str, Any] = json.loads((here / "package-lock.json").read_text("utf-8"))
    return lock
