"""How the runtime comes up, and what a person sees when it does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .site import Site

Visit = Callable[..., Page]


def mode(page: Page) -> str | None:
    return page.locator("html").get_attribute("data-runtime-mode")


def test_starts_from_the_memory_image(visit: Visit) -> None:
    page = visit("drawing")
    assert mode(page) == "snapshot"
    marks = page.evaluate("performance.getEntriesByType('mark').map(mark => mark.name)")
    assert marks == ["switchboard:boot", "switchboard:loaded", "switchboard:first-render"]


@pytest.mark.parametrize("query", [{"mode": "plain"}, {"runtime": "plain"}])
def test_starts_plainly_when_asked(visit: Visit, query: dict[str, str]) -> None:
    page = visit("drawing", **query)
    assert mode(page) == "plain"
    expect(page.locator("#label")).to_have_text("8 of 10")


def corrupt(route: Route) -> None:
    body = bytearray(route.fetch().body())
    body[len(body) // 2] ^= 1
    route.fulfill(body=bytes(body), content_type="application/octet-stream")


def shorten(route: Route) -> None:
    route.fulfill(body=route.fetch().body()[:1_000_001], content_type="application/octet-stream")


def lose(route: Route) -> None:
    route.fulfill(status=404)


@pytest.mark.parametrize("file", ["memory.bin", "rest.zip"])
def test_starts_plainly_when_a_part_of_the_image_is_missing(
    site: Site, page: Page, visit: Visit, complaints: list[str], file: str
) -> None:
    page.route(site.file(file), lose)
    visit("drawing")
    assert mode(page) == "plain"
    assert any("starting without the memory image" in text for text in complaints)
    complaints.clear()


@pytest.mark.parametrize("damage", [corrupt, shorten])
def test_starts_plainly_when_the_image_is_damaged(
    site: Site, page: Page, visit: Visit, complaints: list[str], damage: Callable[[Route], None]
) -> None:
    page.route(site.file("memory.bin"), damage)
    visit("drawing")
    assert mode(page) == "plain"
    assert ["arrived damaged" in text for text in complaints] == [True]
    complaints.clear()


@pytest.mark.parametrize("file", ["pyodide.asm.wasm", "pyodide.asm.mjs"])
def test_says_so_when_it_cannot_start(site: Site, page: Page, complaints: list[str], file: str) -> None:
    page.route(site.file(file), lose)
    page.goto(site.page("drawing"))
    expect(page.locator("html")).to_have_attribute("data-runtime", "failed")
    status = page.get_by_role("status")
    expect(status).to_contain_text("This page could not start")
    expect(status.get_by_role("link")).to_have_attribute("href", "/plain/board")
    expect(page.locator("#shell")).to_be_visible()
    complaints.clear()


def test_says_so_when_the_page_itself_cannot_be_made(site: Site, page: Page, complaints: list[str]) -> None:
    page.goto(site.page("crash:root"))
    expect(page.get_by_role("status")).to_contain_text("This page could not start")
    expect(page.locator("#shell")).to_be_visible()
    assert any("LookupError: no such page" in text for text in complaints)
    complaints.clear()


def test_a_page_that_stops_says_so_and_stays(visit: Visit, complaints: list[str]) -> None:
    page = visit("stops")
    page.locator("#stop").click()
    status = page.locator("#runtime-status")
    expect(status).to_contain_text("This page has stopped updating")
    expect(status.get_by_role("link")).to_have_attribute("href", "/plain/board")
    expect(page.locator("html")).to_have_attribute("data-runtime", "failed")
    expect(page.locator("#last")).to_be_visible()
    assert ["Circular reference detected" in text for text in complaints] == [True]
    complaints.clear()


def test_a_part_that_fails_leaves_the_rest_and_is_reported_once(visit: Visit, complaints: list[str]) -> None:
    page = visit("broken")
    expect(page.locator("#whole")).to_be_visible()
    expect(page.locator(".runtime-error")).to_be_visible()
    errors = [text for text in complaints if text.startswith("error: ")]
    assert len(errors) == len(complaints) == 1
    assert "LookupError: no such part" in errors[0]
    complaints.clear()


def test_the_shell_is_taken_over_and_nothing_of_it_is_left(visit: Visit) -> None:
    page = visit("fields")
    expect(page.locator("#shell")).to_have_count(0)
    expect(page.locator("#app > *")).to_have_count(1)
    expect(page.locator("#runtime-status")).to_be_empty()


def test_tabs_draw_different_numbers(visit: Visit, page: Page) -> None:
    first, second = (json.loads(visit("facts").locator("#facts").inner_text()) for _ in range(2))
    assert first["random"] != second["random"]
    # The very point of reseeding: what was drawn while the image was made is the same everywhere.
    assert first["drawn_at_import"] == second["drawn_at_import"]
    assert first["summer"] == "2026-07-01T05:00:00-07:00"
    assert second["recalled"] == "dense"
    assert page.title() == "Facts"


def test_all_zones_of_the_bundle_can_be_read(visit: Visit) -> None:
    readable, _, total = visit("zones").locator("#zones").inner_text().partition(" of ")
    assert readable == total
    assert int(total) == len((files("tzdata") / "zones").read_text().split())


@pytest.mark.parametrize("query", [{}, {"mode": "plain"}])
def test_the_tab_knows_where_and_when_it_is(site: Site, browser: Browser, query: dict[str, str]) -> None:
    with browser.new_context(timezone_id="America/Los_Angeles") as context:
        page = context.new_page()
        page.goto(site.page("facts", more="1", **query))
        facts = json.loads(page.locator("#facts").inner_text())
        then = page.evaluate("Date.now()") / 1000
    assert facts["zone"] == "America/Los_Angeles"
    assert facts["path"].startswith("/?root=probe:facts&more=1")
    assert facts["visible"] is True
    assert 0 <= then - datetime.fromisoformat(facts["wall"]).timestamp() < 30
    assert 0 < facts["now"] < 30


def test_nothing_leaves_the_origin_and_no_socket_is_opened(site: Site, page: Page, visit: Visit) -> None:
    asked: list[str] = []
    sockets: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    visit("fields")
    expect(page.locator("#tick")).to_have_text(re.compile(r"^\d\d"))
    assert asked
    assert all(url.startswith(f"{site.origin}/") for url in asked)
    assert sockets == []
    assert page.evaluate("performance.getEntriesByType('resource').every(e => e.initiatorType !== 'eventsource')")


def test_each_file_is_asked_for_once_and_arrives_compressed(site: Site, page: Page, visit: Visit) -> None:
    encodings: dict[str, str | None] = {}
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("response", lambda answer: encodings.update({answer.url: answer.headers.get("content-encoding")}))
    visit("drawing")
    runtime = [url for url in asked if "/static/runtime/" in url]
    assert len(runtime) == len(set(runtime))
    assert {encodings[url] for url in runtime} == {"zstd"}
    # What only a plain start needs is not fetched.
    assert site.file("python.zip") not in runtime


def test_names_carry_their_contents_hash(site: Site) -> None:
    for logical, entry in site.manifest["files"].items():
        assert re.search(r"[.-][0-9a-f]{12}[./]", entry["name"]), logical
        assert (Path(site.dist) / entry["name"]).stat().st_size == entry["size"]
        assert set(entry["encodings"]) == {"zstd", "br", "gzip"}
