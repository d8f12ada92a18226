"""Operations over HTTP: preview, submit, cancel; each field of their bodies; read-only servers preview only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.servers import running_server
from tests.support.waiting import until

from .conftest import Site
from .test_mutation_guard import csrf_of

PREVIEW, SUBMIT = "/api/operations/preview", "/api/operations"
GOOD_PREVIEW: dict[str, Any] = {"kind": "cancel", "filter": {"queue": "q"}}
GOOD_SUBMIT = GOOD_PREVIEW | {"expected": None, "key": "k"}
# What is wrong with a body of either route, and the field that the refusal names.
BAD: list[tuple[dict[str, Any], str]] = [
    ({"kind": "explode"}, "kind"),
    ({"kind": None}, "kind"),
    ({"filter": None}, "filter"),
    ({"filter": []}, "filter"),
    ({"filter": {}}, "filter"),
    ({"filter": {}, "all": False}, "filter"),
    ({"filter": {"quue": "q"}}, "filter.quue"),
    ({"filter": {"ids": [0]}}, "filter.ids[0]"),
    ({"filter": {"created_at_gte": "2026-01-02T00:00:00Z", "created_at_lt": "2026-01-02T00:00:00Z"}},
     "filter.created_at_lt"),
    ({"all": True}, "all"),
    ({"all": None}, "all"),
    ({"all": 1}, "all"),
    ({"queue": "r"}, "queue"),
    ({"kind": "move"}, "queue"),
    ({"kind": "move", "queue": None}, "queue"),
    ({"kind": "move", "queue": ""}, "queue"),
    ({"kind": "move", "queue": "x" * 201}, "queue"),
    ({"version": 1}, "version"),
]  # fmt: skip
BAD_SUBMIT: list[tuple[dict[str, Any], str]] = [
    ({"expected": -1}, "expected"),
    ({"expected": 10_001}, "expected"),
    ({"expected": 1.0}, "expected"),
    ({"expected": "1"}, "expected"),
    ({"key": ""}, "key"),
    ({"key": "x" * 201}, "key"),
    ({"key": None}, "key"),
    ({"key": 1}, "key"),
]


@pytest.mark.parametrize("path", [PREVIEW, SUBMIT])
@pytest.mark.parametrize(("wrong", "field"), BAD)
async def test_a_bad_body_is_refused_by_the_name_of_the_field(
    site: Site, path: str, wrong: dict[str, Any], field: str
) -> None:
    good = GOOD_PREVIEW if path == PREVIEW else GOOD_SUBMIT
    await _is_refused(site, path, good | wrong, field)


@pytest.mark.parametrize(("wrong", "field"), BAD_SUBMIT)
async def test_a_bad_submission_is_refused_by_the_name_of_the_field(
    site: Site, wrong: dict[str, Any], field: str
) -> None:
    await _is_refused(site, SUBMIT, GOOD_SUBMIT | wrong, field)


@pytest.mark.parametrize(
    ("path", "field"),
    [(PREVIEW, "kind"), (PREVIEW, "filter"), *((SUBMIT, field) for field in ("kind", "filter", "expected", "key"))],
)
async def test_a_missing_field_is_named(site: Site, path: str, field: str) -> None:
    good = GOOD_PREVIEW if path == PREVIEW else GOOD_SUBMIT
    await _is_refused(site, path, {name: value for name, value in good.items() if name != field}, field)


async def test_a_preview_takes_none_of_what_only_a_submission_has(site: Site) -> None:
    await _is_refused(site, PREVIEW, GOOD_PREVIEW | {"expected": 1}, "expected")
    await _is_refused(site, PREVIEW, GOOD_PREVIEW | {"key": "k"}, "key")


async def _is_refused(site: Site, path: str, body: dict[str, Any], field: str) -> None:
    headers = await site.operator(await site.world.human("olga"))
    answer = await site.http.post(path, json=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["field"]) == (
        400,
        "invalid_argument",
        field,
    )
    assert await site.sql.fetchval(
        "select count(*) from switchboard.operations o join switchboard.humans h on h.id = o.human_id"
        " where h.name = 'olga'"
    ) == 0  # fmt: skip


async def test_what_was_previewed_is_submitted_worked_on_and_counted(site: Site) -> None:
    endpoint = await site.endpoint("q", "r")
    headers = await site.operator(endpoint.owner)
    ids = await site.world.enqueue_many(endpoint, "q", 3)
    await site.sql.execute("update switchboard.todos set state = 'claimed' where id = $1", ids[0])

    preview = await site.http.post(PREVIEW, json=GOOD_PREVIEW, headers=headers)
    body = GOOD_SUBMIT | {"expected": preview.json()["count"]}
    submitted = await site.http.post(SUBMIT, json=body, headers=headers)
    again = await site.http.post(SUBMIT, json=body, headers=headers)

    assert preview.json() == {
        "count": 3,
        "capped": False,
        "eligible": 2,
        "eligible_capped": False,
        "cap": 10_000,
        "sample": ids[::-1],
    }
    operation = submitted.json()
    assert submitted.status_code == 200
    assert {name: operation[name] for name in ("kind", "filter", "all", "queue", "expected", "human")} == {
        "kind": "cancel",
        "filter": {"queue": "q"},
        "all": False,
        "queue": None,
        "expected": 3,
        "human": endpoint.owner.name,
    }
    assert (operation["state"], operation["total"], operation["started_at"]) == ("scanning", None, None)
    assert again.json()["id"] == operation["id"]
    await until(site.sql, "select state = 'done' from switchboard.operations where id = $1", operation["id"])
    canceled = await site.http.post(f"{SUBMIT}/{operation['id']}/cancel", headers=headers)
    assert (canceled.status_code, canceled.json()["error"]["code"]) == (409, "conflict")
    row = await site.sql.fetchrow("select * from switchboard.operations where id = $1", operation["id"])
    assert [row[name] for name in ("state", "total", "changed", "skipped", "conflict", "gone")] == [
        "done", 3, 2, 1, 0, 0,
    ]  # fmt: skip
    assert await site.world.states(endpoint, "q") == {"claimed": 1, "canceled": 2}


async def test_a_foreign_operation_is_canceled_no_more_than_an_unknown_one(site: Site) -> None:
    endpoint = await site.endpoint("q")
    submitted = await site.http.post(SUBMIT, json=GOOD_SUBMIT, headers=await site.operator(endpoint.owner))
    stranger = await site.operator(await site.world.human("stranger", operator=True))
    foreign, unknown = [
        await site.http.post(f"{SUBMIT}/{target}/cancel", headers=stranger)
        for target in (submitted.json()["id"], 2**63)
    ]
    assert (foreign.status_code, foreign.content) == (404, unknown.content)


@pytest.mark.parametrize("path", [PREVIEW, SUBMIT, SUBMIT + "/1/cancel"])
async def test_nobody_and_a_browser_without_its_csrf_token_do_nothing(site: Site, path: str) -> None:
    body = {PREVIEW: GOOD_PREVIEW, SUBMIT: GOOD_SUBMIT}.get(path, {})
    assert (await site.http.post(path, json=body)).status_code == 401
    name = f"nora{len(path)}"
    async with site.signed_in(name) as browser:
        assert (await browser.post(path, json=body)).status_code == 403
        with_token = await browser.post(path, json=body, headers={"x-csrf-token": await csrf_of(site, name)})
        assert with_token.status_code == (404 if path.endswith("/cancel") else 200)


async def test_a_read_only_server_previews_and_refuses_the_rest(site: Site) -> None:
    endpoint = await site.endpoint("q")
    await site.world.enqueue(endpoint, "q")
    headers = await site.operator(endpoint.owner)
    with running_server(site.database_url, {"SWITCHBOARD_READ_ONLY": "1"}) as server:
        preview = await site.http.post(server.url + PREVIEW, json=GOOD_PREVIEW, headers=headers)
        refused = [
            await site.http.post(server.url + path, json=GOOD_SUBMIT, headers=headers)
            for path in (SUBMIT, SUBMIT + "/1/cancel")
        ]
        assert server.stop() == 0
    assert (preview.status_code, preview.json()["count"]) == (200, 1)
    assert [(answer.status_code, answer.json()["error"]["code"]) for answer in refused] == [(403, "read_only")] * 2
