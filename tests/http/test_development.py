"""What a server serves in development, and never otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from switchboard_ui.gallery.families import FAMILIES
from tests.support.servers import Server, running_server

from .conftest import Site
from .test_security_headers import EXPECTED

PATHS = [
    "/dev/changes",
    "/dev/reload.mjs",
    "/dev/gallery.css",
    "/dev/gallery",
    *(f"/dev/gallery/{name}" for name in FAMILIES),
    *(
        f"/dev/gallery/{name}/{state}"
        for name, family in FAMILIES.items()
        if family.whole_pages
        for state in family.states()
    ),
]


@pytest.fixture(scope="module")
def developing(site: Site) -> Iterator[Server]:
    with running_server(site.database_url, {"SWITCHBOARD_DEVELOPMENT": "1"}) as server:
        yield server


@pytest.mark.parametrize("path", PATHS)
async def test_only_in_development_with_the_headers_of_every_answer(site: Site, developing: Server, path: str) -> None:
    assert (await site.http.get(path)).status_code == 404
    answer = await site.http.get(developing.url + path)
    assert answer.status_code == 200
    assert {name: answer.headers[name] for name in EXPECTED} == EXPECTED
    assert answer.headers["cache-control"] == "no-store"


async def test_the_script_that_shows_changes_is_in_the_pages_of_development_alone(
    site: Site, developing: Server
) -> None:
    assert "/dev/" not in (await site.http.get("/sign-in")).text
    process = (await site.http.get(developing.url + "/dev/changes")).json()["process"]
    script = f'<script type="module" src="/dev/reload.mjs?process={process}"></script>'
    assert script in (await site.http.get(developing.url + "/sign-in")).text


async def test_two_servers_differ_and_one_stays_the_same(site: Site, developing: Server) -> None:
    async def seen(server: Server) -> httpx.Response:
        return await site.http.get(server.url + "/dev/changes")

    first, again = (await seen(developing)).json(), (await seen(developing)).json()
    assert first == again
    with running_server(site.database_url, {"SWITCHBOARD_DEVELOPMENT": "1"}) as other:
        assert (await seen(other)).json()["process"] != first["process"]
        assert (await seen(other)).json()["stylesheet"] == first["stylesheet"]


@pytest.mark.parametrize("path", ["/dev/gallery/nothing", "/dev/gallery/trust/fresh", "/dev/gallery/documents/none"])
async def test_the_gallery_has_nothing_but_what_its_table_has(site: Site, developing: Server, path: str) -> None:
    assert (await site.http.get(developing.url + path)).status_code == 404
