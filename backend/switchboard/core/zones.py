"""Where zones come from: the bundled `tzdata` package, never the host (REQ-5, D32).

Importing this module empties the process's zone search path and forgets every zone that was read before, so that
`zoneinfo` finds nothing but the package, whatever PYTHONTZPATH or TZDIR say. Both are done again before a zone is read,
so a library that sets the path later cannot reach our zones either.
"""

from __future__ import annotations

import zoneinfo
from functools import cache
from importlib import resources
from types import MappingProxyType
from zoneinfo import ZoneInfo

import tzdata  # type: ignore[import-untyped]

ZONE_DATABASE_VERSION: str = tzdata.IANA_VERSION
"""The IANA release that the package carries, such as `2026f`."""


class UnknownZone(ValueError):
    """The bundled database has no zone of this name. `name` is the name as given."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown time zone: {name!r}")
        self.name = name


zoneinfo.reset_tzpath(to=())
ZoneInfo.clear_cache()

_PACKAGE = resources.files("tzdata")
_NAMES = frozenset(_PACKAGE.joinpath("zones").read_text(encoding="ascii").split())


def _read_links() -> MappingProxyType[str, str]:
    """Link name to the name it stands for, from the `L target name` lines of the database's own text form."""
    text = _PACKAGE.joinpath("zoneinfo", "tzdata.zi").read_text(encoding="utf-8")
    targets = {}
    for line in text.splitlines():
        if line.startswith("L "):
            _, target, name = line.split()
            targets[name] = target
    return MappingProxyType(targets)


_LINKS = _read_links()


def zone_names() -> frozenset[str]:
    """Every name `zone` accepts, backward names such as `US/Central` included; exact in case."""
    return _NAMES


def zone(name: str) -> ZoneInfo:
    """The zone `name` of the bundled database; the same object on every call, and after a copy or a pickle.

    One object matters: two datetimes in a repeated hour are unequal when their zones are two objects (PEP 495). Only
    names that the package lists are looked up, so nothing a caller sends is ever used as a path.
    Raises UnknownZone.
    """
    if name not in _NAMES:
        raise UnknownZone(name)
    return _load(name)


@cache
def _load(name: str) -> ZoneInfo:
    zoneinfo.reset_tzpath(to=())
    ZoneInfo.clear_cache(only_keys=[name])
    return ZoneInfo(name)


def canonical_name(name: str) -> str:
    """The one name of a zone that has several: `America/Los_Angeles` for `US/Pacific` (D14).

    Links are followed as the bundled release has them. `Etc/UTC` and all its other names are `UTC`, as in REQ-5.
    Raises UnknownZone.
    """
    if name not in _NAMES:
        raise UnknownZone(name)
    while name in _LINKS:
        name = _LINKS[name]
    return "UTC" if name == "Etc/UTC" else name
