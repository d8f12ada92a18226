"""The server and the tab draw every component alike: what the server's page shows is what the tab takes over."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from switchboard.http.html import render
from tests.runtime.site import serving
from tests.support.chromium import launch
from tests.ui.components.app.drawn import items, one

FRONTEND = Path(__file__).resolve().parents[3] / "frontend"
BUILD = FRONTEND / "runtime" / "build.py"

# Text nodes of adjacent strings are one text to a reader. What is in a field is its property, whatever the attribute
# says. Order of attributes means nothing. A dialog is opened by the tab alone.
TREES = """(rendered) => {
  const tree = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return `[node type ${node.nodeType}]`;
    const field = ["input", "textarea", "select", "option"].includes(node.localName);
    const attributes = {};
    for (const { name, value } of node.attributes) {
      if (field && ["value", "checked", "selected"].includes(name)) continue;
      if (node.localName === "dialog" && name === "open") continue;
      attributes[name] = value;
    }
    const drafts = field ? { value: node.value, on: node.checked ?? node.selected ?? null } : {};
    return [node.namespaceURI.split("/").at(-1), node.localName, Object.entries(attributes).sort(), drafts, all(node)];
  };
  const all = (parent) => {
    const children = [];
    for (const child of parent.childNodes) {
      const made = tree(child);
      if (typeof made === "string" && typeof children.at(-1) === "string") children.push(children.pop() + made);
      else if (made !== "") children.push(made);
    }
    return children;
  };
  return Object.fromEntries(Object.entries(rendered).map(([name, text]) => {
    const server = new DOMParser().parseFromString(`<body>${text}</body>`, "text/html").body;
    const tab = document.querySelector(`[data-item="${name}"]`);
    return [name, { server: all(server), tab: all(tab) }];
  }));
}"""


async def _rendered() -> dict[str, str]:
    return {name: await render(one(item)) for name, item in items().items()}


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """By item: the tree that a browser makes of the server's text, and the tree that the tab has drawn."""
    rendered = asyncio.run(_rendered())
    dist = BUILD.parent / "build" / "for-gallery"
    extra = tmp_path_factory.mktemp("extra")
    shutil.copytree(Path(__file__).parent / "app", extra, dirs_exist_ok=True)
    shutil.copytree(FRONTEND / "switchboard_ui" / "gallery", extra / "switchboard_ui" / "gallery")
    command = [sys.executable, BUILD, "--out", dist, "--extra", extra]
    done = subprocess.run([*command, "--quick", "--plain-progress"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with serving(dist) as site, sync_playwright() as playwright:
        browser = launch(playwright)
        page: Page = browser.new_page()
        page.goto(site.page("drawn:root"))
        expect(page.locator("html")).to_have_attribute("data-runtime", "ready", timeout=60_000)
        found: dict[str, Any] = page.evaluate(TREES, rendered)
        browser.close()
    return found


@pytest.mark.parametrize("name", sorted(items()))
def test_the_same_tree(trees: dict[str, Any], name: str) -> None:
    assert trees[name]["tab"] == trees[name]["server"]


def test_the_comparison_sees_what_it_should(trees: dict[str, Any]) -> None:
    assert trees["svg"]["tab"][0][:2] == ["svg", "svg"]
    assert trees["fields"]["tab"][0][4][2][3] == {"value": "a", "on": True}
    assert trees["empty-children"]["tab"][0][4] == [["xhtml", "p", [], {}, []]] * 2 + [["xhtml", "ul", [], {}, []]]
    assert "<b>&amp;" in trees["text"]["tab"][0][4][0]
