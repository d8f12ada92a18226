"""Gathers the Python that the tab needs, and nothing else."""

from __future__ import annotations

import zipfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from steps.failure import BuildFailure

OURS = ("switchboard_wire", "switchboard_ui")
# The server's, for development.
_LEFT_OUT = ("gallery/",)
# ReactPy is a server framework as well: these parts of it are the server's, its tests' or its own client.
_REACTPY_LEFT_OUT = ("static/", "testing/", "_console/", "templatetags/", "executors/asgi/", "executors/pyscript/")
# Modules that no page imports, at least not by name: found when the layout first runs.
_FOUND_LATE = (
    "_strptime",
    "asyncio",
    "decimal",
    "importlib.readers",
    "importlib.resources",
    "reactpy",
    "reactpy.core.layout",
    "tzdata",
    "uuid",
    "zipfile",
    "zoneinfo",
)
# Parts of the standard library with no use in a tab: tools for developers, servers, other processes and file
# formats. They would be a third of the bundle.
_STANDARD_LIBRARY_LEFT_OUT = frozenset(
    {
        "_pyrepl", "antigravity", "bdb", "cProfile", "cmd", "code", "compileall", "configparser", "ctypes", "doctest",
        "ensurepip", "fileinput", "ftplib", "getpass", "idlelib", "imaplib", "mailbox", "modulefinder",
        "multiprocessing", "netrc", "nturl2path", "optparse", "pdb", "pickletools", "plistlib", "poplib", "profile",
        "pstats", "pty", "py_compile", "pyclbr", "pydoc", "pydoc_data", "rlcompleter", "shelve", "site-packages",
        "smtplib", "sqlite3", "symtable", "tabnanny", "tarfile", "this", "timeit", "tomllib", "trace", "tty",
        "unittest", "venv", "wave", "webbrowser", "wsgiref", "xml", "xmlrpc", "zipapp",
    }
)  # fmt: skip


class Sources:
    """Files by their path inside the bundle."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._to_import: set[str] = set(_FOUND_LATE)

    def add_tree(self, folder: Path, prefix: str, left_out: tuple[str, ...] = (), imported: bool = False) -> None:
        """Add a package's files; `imported` has all its modules in memory from the start."""
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if not path.is_file() or "__pycache__" in path.parts or name.startswith(left_out):
                continue
            self.files[f"{prefix}{name}"] = path.read_bytes()
            if imported and name.endswith(".py"):
                module = f"{prefix}{name}".removesuffix(".py").removesuffix("/__init__")
                self._to_import.add(module.replace("/", "."))

    def add_standard_library(self, archive: Path) -> None:
        """Add Pyodide's own copy of the standard library, without what the tab cannot use."""
        with zipfile.ZipFile(archive) as library:
            for name in library.namelist():
                top = name.split("/")[0].removesuffix(".py")
                if not name.endswith("/") and top not in _STANDARD_LIBRARY_LEFT_OUT:
                    self.files.setdefault(name, library.read(name))

    def write(self, target: Path) -> None:
        """Write all files as one archive."""
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for name, data in sorted(self.files.items()):
                archive.writestr(_entry(name), data)

    def write_over(self, archive: Path, target: Path) -> None:
        """Write a copy of `archive` that has our packages as they are here, not compiled."""
        with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as copy:
            for name in source.namelist():
                if not is_ours(name):
                    copy.writestr(_entry(name), source.read(name))
            for name, data in sorted(self.files.items()):
                if is_ours(name):
                    copy.writestr(_entry(name), data)

    def count(self) -> int:
        """How many Python files there are."""
        return sum(name.endswith(".py") for name in self.files)

    def modules(self) -> list[str]:
        """The modules that a tab has in memory from the start."""
        return sorted(self._to_import)

    def versions(self) -> dict[str, str]:
        """The versions of what the tab gets from Python packages; tzdata is the server's own."""
        return {name: version(name) for name in ("reactpy", "tzdata")}


def collect(here: Path, extra: Path | None) -> Sources:
    """Gather everything but the standard library."""
    sources = Sources()
    sources.add_tree(_package("reactpy"), "reactpy/", _REACTPY_LEFT_OUT)
    sources.add_tree(_package("tzdata"), "tzdata/")
    for name in OURS:
        sources.add_tree(_package(name), f"{name}/", _LEFT_OUT, imported=True)
    # Shims take the place of what they imitate.
    sources.add_tree(here / "shims", "")
    if extra is not None:
        sources.add_tree(extra, "", imported=True)
    return sources


def is_ours(name: str) -> bool:
    """Whether a file of the bundle is the page's own Python."""
    return name.partition("/")[0] in OURS


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise BuildFailure(f"the Python package {name} is missing; install the project first (`pip install -e .`)")
    return Path(spec.origin).parent
