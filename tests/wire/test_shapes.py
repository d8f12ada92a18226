"""Every dataclass that travels has a strict decoder, so that a tab can read whatever a server sends."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil

import pytest

import switchboard_wire
from switchboard_wire.errors import SwitchboardError
from switchboard_wire.shape import decode

SHAPES = [
    shape
    for module in pkgutil.iter_modules(switchboard_wire.__path__)
    for shape in vars(importlib.import_module(f"switchboard_wire.{module.name}")).values()
    if isinstance(shape, type) and dataclasses.is_dataclass(shape) and shape.__module__.endswith(module.name)
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.__module__}.{shape.__name__}")
def test_it_can_be_decoded(shape: type) -> None:
    with pytest.raises(SwitchboardError):
        decode(shape, [])
