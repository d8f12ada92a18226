"""The gallery shows every component, each state by itself."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import switchboard_ui.gallery
from switchboard.http.html import render
from switchboard_ui.gallery.families import FAMILIES
from switchboard_ui.gallery.pages import GALLERY, family_page, index_page, state_page

GALLERY_FILES = sorted(Path(switchboard_ui.gallery.__file__).parent.glob("*.py"))
COMPONENTS = sorted(
    path.stem for path in (GALLERY_FILES[0].parents[1] / "components").glob("*.py") if path.stem != "__init__"
)
EXEMPT: dict[str, str] = {"support_watch": "It draws nothing."}
"""Modules of components that the gallery does not show, each with the reason."""


def imported_components() -> set[str]:
    """The modules of components that modules of the gallery import."""
    nodes = [node for path in GALLERY_FILES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    prefix = "switchboard_ui.components."
    names = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module is not None]
    return {name.removeprefix(prefix) for name in names if name.startswith(prefix)}


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_component_is_in_a_family_or_exempt_for_a_reason(component: str) -> None:
    assert (component in imported_components()) != bool(EXEMPT.get(component))


def test_nothing_else_is_exempt() -> None:
    assert set(EXEMPT) <= set(COMPONENTS)


def test_each_module_with_states_is_a_family() -> None:
    modules = [importlib.import_module(f"switchboard_ui.gallery.{path.stem}") for path in GALLERY_FILES]
    assert [module.states for module in modules if hasattr(module, "states")] == [
        FAMILIES[name].states for name in sorted(FAMILIES)
    ]


@pytest.mark.parametrize("name", FAMILIES)
async def test_each_state_stands_under_a_heading_with_its_id(name: str) -> None:
    family = FAMILIES[name]
    page = await render(state_page(family_page(name)))
    assert f"<h1>{family.heading}</h1>" in page
    states = list(family.states())
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", state) for state in states)
    if family.whole_pages:
        assert re.findall(rf'href="{GALLERY}/{name}/([^"]+)"', page) == states
    else:
        assert re.findall(r'<h2 id="state-([^"]+)">', page) == states


async def test_the_index_leads_to_every_state() -> None:
    page = await render(state_page(index_page()))
    for name, family in FAMILIES.items():
        between = "/" if family.whole_pages else "#state-"
        for state in family.states():
            assert f'href="{GALLERY}/{name}{between}{state}"' in page
