"""The bundled database: which names it has, that the host has no say, and what the windows rely on (REQ-5, D32)."""

from __future__ import annotations

import copy
import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
import zoneinfo
from datetime import UTC, datetime
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from switchboard.core import zones
from switchboard.core.windows import SHORTEST_HOLD
from switchboard.core.zones import ZONE_DATABASE_VERSION, UnknownZone, canonical_name, zone, zone_names

from .conftest import SCAN_FROM, SCAN_TO
from .oracle import Transition, at, seconds

FILES = resources.files("tzdata").joinpath("zoneinfo")


def file_of(name: str) -> bytes:
    return FILES.joinpath(*name.split("/")).read_bytes()


def changes_in_file(name: str) -> list[Transition]:
    """The changes of offset that the zone's file lists (RFC 9636, the 64-bit block), without its last line's rule."""

    def counts(start: int) -> tuple[int, int, int, int, int, int]:
        magic, isut, isstd, leap, times, types, chars = struct.unpack_from(">4sx15x6l", data, start)
        assert magic == b"TZif"
        return isut, isstd, leap, times, types, chars

    data = file_of(name)
    isut, isstd, leap, times, types, chars = counts(0)
    second = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isut
    _, _, _, times, types, _ = counts(second)
    body = second + 44
    instants = struct.unpack_from(f">{times}q", data, body)
    kinds = data[body + 8 * times : body + 9 * times]
    offsets = [struct.unpack_from(">l", data, body + 9 * times + 6 * kind)[0] for kind in range(types)]
    before = [offsets[0], *(offsets[kind] for kind in kinds)]
    return [
        Transition(instant, before[index], offsets[kind])
        for index, (instant, kind) in enumerate(zip(instants, kinds, strict=True))
        if before[index] != offsets[kind]
    ]


def test_the_version_is_the_packages() -> None:
    assert re.fullmatch(r"20[0-9]{2}[a-z]", ZONE_DATABASE_VERSION)
    assert FILES.joinpath("tzdata.zi").read_text(encoding="utf-8").startswith(f"# version {ZONE_DATABASE_VERSION}\n")


def test_every_listed_name_is_a_zone() -> None:
    assert len(zone_names()) > 590
    for name in zone_names():
        found = zone(name)
        assert found.key == name
        assert zone(name) is found


def test_backward_names_are_zones() -> None:
    assert {"US/Central", "Asia/Calcutta", "Europe/Kiev", "GB", "EST5EDT", "Etc/GMT-14"} <= zone_names()
    noon = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert noon.astimezone(zone("US/Central")).hour == 7


@pytest.mark.parametrize(
    "name",
    [
        *[
            "Mars/Olympus",
            "",
            " ",
            "UTC ",
            " UTC",
            "UTC\n",
            "utc",
            "america/new_york",
            "AMERICA/NEW_YORK",
            "US/central",
        ],
        *[
            "localtime",
            "posixrules",
            "posix/UTC",
            "right/UTC",
            "America",
            "America/",
            "/America/New_York",
            "America//New_York",
        ],
        *[
            "../zoneinfo/UTC",
            "./UTC",
            "America/../UTC",
            "/etc/localtime",
            "/usr/share/zoneinfo/UTC",
            "America\\New_York",
        ],
        *[
            "tzdata.zi",
            "zone.tab",
            "zone1970.tab",
            "zones",
            "leapseconds",
            "__init__",
            "__init__.py",
            "UTC\0",
            "UTC\0x",
        ],
        *[
            "EST5",
            "PST8PDT,M3.2.0,M11.1.0",
            "<+03>-3",
            "+03:00",
            "UTC+3",
            "GMT+5",
            "Europe/Berlín",
            "Europe/Ber\u200blin",
        ],
    ],
)
def test_other_names_are_unknown(name: str) -> None:
    for function in (zone, canonical_name):
        with pytest.raises(UnknownZone) as refusal:
            function(name)
        assert refusal.value.name == name
        assert isinstance(refusal.value, ValueError)


def test_a_link_is_its_target_to_the_last_byte() -> None:
    """So what is shown for the canonical names holds for every name."""
    names = zone_names()
    links = {name for name in names if canonical_name(name) != name}
    assert len(links) > 240
    for name in names:
        target = canonical_name(name)
        assert target in names
        assert canonical_name(target) == target
        assert file_of(name) == file_of(target), name
    canonical = names - links
    assert len({file_of(name) for name in canonical}) == len(canonical)


def test_a_link_to_a_link_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bundled one is, but the format allows it."""
    monkeypatch.setattr(zones, "_LINKS", {"US/Pacific": "PST8PDT", "PST8PDT": "America/Los_Angeles"})
    assert canonical_name("US/Pacific") == "America/Los_Angeles"


def test_transitions_are_those_of_the_files(transitions: dict[str, tuple[Transition, ...]]) -> None:
    """Two ways to one list: the clock asked every three days, and the file's own table (its last line's rule apart)."""
    listed = 0
    for name, scanned in transitions.items():
        inside = [t for t in changes_in_file(name) if seconds(SCAN_FROM) <= t.at < seconds(SCAN_TO)]
        assert list(scanned[: len(inside)]) == inside, name
        listed += len(inside)
        by_rule = scanned[len(inside) :]
        assert not by_rule or re.search(rb",M[0-9.]+(/[-0-9:]+)?,M[0-9.]+(/[-0-9:]+)?\n\Z", file_of(name)), name
        assert all(
            180 * 86_400 > b.at - a.at > 120 * 86_400 or b.at - a.at > 180 * 86_400 for a, b in pairwise(by_rule)
        )
    assert listed > 8_000
    assert sum(map(len, transitions.values())) > 11_000


def test_offsets_are_held_long_enough(transitions: dict[str, tuple[Transition, ...]]) -> None:
    """What the walk for a boundary relies on, with a wide margin, for as long as the files list changes."""
    margin = 10 * SHORTEST_HOLD
    for name, scanned in transitions.items():
        listed = [t for t in changes_in_file(name) if t.at >= seconds(SCAN_FROM)]
        for changes in (listed, scanned):
            for one, other in pairwise(changes):
                assert at(other.at) - at(one.at) > margin, (name, one, other)


@pytest.mark.parametrize("year", [2061, 2400, 9997])
def test_offsets_are_held_long_enough_by_the_rules_of_the_last_line(year: int) -> None:
    begin = seconds(datetime(year, 1, 1, tzinfo=UTC))
    for name in sorted({canonical_name(name) for name in zone_names()}):
        offsets = [at(begin + hour * 3600).astimezone(zone(name)).utcoffset() for hour in range(0, 366 * 24, 12)]
        changes = [index for index, (one, other) in enumerate(pairwise(offsets)) if one != other]
        assert len(changes) <= 4, name
        assert all(other - one > 10 for one, other in pairwise(changes)), name


def test_a_zone_can_be_copied_and_pickled() -> None:
    """A view model that carries a zoned datetime goes through `dataclasses.asdict`, which copies deeply."""
    moment = datetime(2026, 11, 1, 9, 30, tzinfo=UTC).astimezone(zone("America/Los_Angeles"))
    for again in (copy.deepcopy(moment), pickle.loads(pickle.dumps(moment))):
        assert again == moment
        assert again.tzinfo is moment.tzinfo


POISONED = """
import zoneinfo
from datetime import UTC, datetime, timedelta
early = zoneinfo.ZoneInfo("America/New_York")
noon = datetime(2026, 7, 1, 12, tzinfo=UTC)
assert noon.astimezone(early).utcoffset() == timedelta(hours=14), "the poisoned host zone was meant to be read"
from switchboard.core.zones import zone, zone_names, UnknownZone
assert zoneinfo.TZPATH == ()
assert noon.astimezone(zoneinfo.ZoneInfo("America/New_York")).utcoffset() == timedelta(hours=-4)
assert noon.astimezone(zone("America/New_York")).utcoffset() == timedelta(hours=-4)
assert "Host/Only" not in zone_names()
try:
    zone("Host/Only")
except UnknownZone:
    pass
else:
    raise AssertionError("a zone of the host")
zoneinfo.reset_tzpath()
again = zoneinfo.ZoneInfo("Europe/London")
assert noon.astimezone(again).utcoffset() == timedelta(hours=14), "the poisoned host zone was meant to be read"
assert noon.astimezone(zone("Europe/London")).utcoffset() == timedelta(hours=1)
assert zoneinfo.TZPATH == ()
"""


def run(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """This Python with an environment that says nothing of zones but what is given."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONTZPATH", "TZDIR", "TZ")}
    return subprocess.run(
        [sys.executable, *arguments], env={**kept, **environment}, capture_output=True, text=True, check=False
    )


def test_a_host_with_wrong_zones_changes_nothing(tmp_path: Path) -> None:
    """A search path whose every zone is 14 hours ahead, read by another library before ours."""
    for name in ("America/New_York", "Europe/London", "Host/Only"):
        path = tmp_path.joinpath(name)
        path.parent.mkdir(exist_ok=True)
        shutil.copy(str(FILES.joinpath("Pacific", "Kiritimati")), path)
    done = run(["-c", POISONED], PYTHONTZPATH=str(tmp_path), TZDIR=str(tmp_path), TZ="Asia/Tokyo")
    assert done.returncode == 0, done.stderr


def test_a_host_without_zones_gives_the_same_windows(tmp_path: Path) -> None:
    """The written-out windows and the scenarios once more, in a process that can see no zone of the host."""
    here = Path(__file__).parent
    names = ["test_golden.py", "test_scenarios.py", "test_definition.py"]
    files = [str(here / name) for name in names]
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", *files], PYTHONTZPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"[0-9]+ passed", done.stdout)
    assert "skipped" not in done.stdout


def test_the_search_path_is_empty_here() -> None:
    assert zoneinfo.TZPATH == ()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zdump") is None, reason="needs zdump")
def test_another_reader_finds_the_same_transitions(transitions: dict[str, tuple[Transition, ...]]) -> None:
    """The C library reading the bundled files, the rules of their last lines included."""
    printed = re.compile(r" \w{3} (\w{3} +\d+ [\d:]+ \d+) UT = .* gmtoff=(-?\d+)$", re.MULTILINE)
    for name, scanned in transitions.items():
        file = str(FILES.joinpath(*name.split("/")))
        done = subprocess.run(
            ["zdump", "-v", "-c", "1969,2039", file], env={"LC_ALL": "C"}, capture_output=True, text=True, check=True
        )
        readings = [
            (seconds(datetime.strptime(f"{when} +0000", "%b %d %H:%M:%S %Y %z")), int(offset))
            for when, offset in printed.findall(done.stdout)
        ]
        changes = [
            Transition(after, offset_before, offset_after)
            for (before, offset_before), (after, offset_after) in pairwise(readings)
            if after - before == 1 and offset_before != offset_after
        ]
        assert [t for t in changes if seconds(SCAN_FROM) <= t.at < seconds(SCAN_TO)] == list(scanned), name
