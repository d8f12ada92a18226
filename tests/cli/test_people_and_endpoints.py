"""switchboard human and endpoint: credentials shown once, stored as hashes, refusals in a sentence."""

from __future__ import annotations

import asyncpg
import httpx
import pytest

from switchboard.core.credentials import hash_of

from .conftest import Command


async def test_a_human_is_added_by_a_prompt_that_asks_twice(switchboard: Command, sql: asyncpg.Connection) -> None:
    added = switchboard("human", "add", "grace", stdin="correct horse\ncorrect horse\n")
    assert added.status == 0
    assert added.out.endswith("Added grace.\n")
    assert "correct horse" not in added.out
    row = await sql.fetchrow("select password_hash, operator from switchboard.humans where name = 'grace'")
    assert row["password_hash"].startswith("$argon2id$")
    assert row["operator"] is False


async def test_an_operator_is_added(switchboard: Command, sql: asyncpg.Connection) -> None:
    assert switchboard("human", "add", "root", "--password", "correct horse", "--operator").status == 0
    assert await sql.fetchval("select operator from switchboard.humans where name = 'root'") is True


async def test_a_token_is_shown_once_and_the_one_before_it_ends(switchboard: Command, sql: asyncpg.Connection) -> None:
    first, second = [switchboard("human", "token", "ada", "--label", "again").out.strip() for _ in range(2)]
    assert first.startswith("sbo_")
    assert len(first) == 47
    kept = await sql.fetch(
        "select token_hash from switchboard.operator_tokens where label = 'again' and revoked_at is null"
    )
    assert [row["token_hash"] for row in kept] == [hash_of(second)]


def test_an_endpoint_is_added_renewed_listed_and_revoked(switchboard: Command) -> None:
    url = switchboard.environment["SWITCHBOARD_URL"]

    def claim_next(credential: str) -> int:
        headers = {"authorization": f"Bearer {credential}"}
        return httpx.post(f"{url}/api/v1/worker/claim_next", headers=headers).status_code

    switchboard("human", "add", "bob", "--password", "correct horse")
    added = switchboard("endpoint", "add", "builder", "--human", "bob", "--queue", "builds", "--lease", "600")
    credential = added.out.strip()
    assert (added.status, len(credential), credential[:4]) == (0, 47, "sbk_")
    assert claim_next(credential) == 200
    renewed = switchboard("endpoint", "renew", "builder").out.strip()
    assert (claim_next(credential), claim_next(renewed)) == (401, 200)
    listed = {one["slug"]: one for one in switchboard("endpoint", "list", "--json").json}
    assert (listed["builder"]["owner"], listed["builder"]["state"], listed["builder"]["queues"]) == (
        "human:bob",
        "active",
        ["builds"],
    )
    assert listed["builder"]["default_lease_seconds"] == 600
    assert listed["research"]["queues"] == ["a/b", "lane"]
    revoked = switchboard("endpoint", "revoke", "builder")
    assert (revoked.status, revoked.out) == (0, "Revoked builder.\n")
    assert claim_next(renewed) == 401
    lines = switchboard("endpoint", "list").out.splitlines()
    assert [line.split() for line in lines if line.startswith("builder")] == [
        ["builder", "human:bob", "revoked", "builds"]
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["human", "add", "ada", "--password", "correct horse"], "name: There is a human named ada already."),
        (
            ["human", "add", "Ada L", "--password", "correct horse"],
            "name: Use 1 to 63 lower-case letters, digits, dots, underscores and hyphens.",
        ),
        (["human", "add", "joan", "--password", "short"], "password: Give 8 to 200 characters."),
        (["human", "token", "nobody"], "name: There is no human named nobody."),
        (
            ["endpoint", "add", "research", "--human", "ada", "--queue", "q"],
            "slug: There is an endpoint with the slug research already.",
        ),
        (["endpoint", "add", "x", "--human", "nobody", "--queue", "q"], "name: There is no human named nobody."),
        (
            ["endpoint", "add", "--human", "ada", "--queue", "q", "--", "-x"],
            "slug: Use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen.",
        ),
        (
            ["endpoint", "add", "x", "--human", "ada", "--queue", "q", "--lease", "59"],
            "lease: Give a whole number of seconds from 60 to 86400.",
        ),
        (
            ["endpoint", "add", "x", "--human", "ada", "--queue", "a", "--queue", "line\nbreak"],
            "queues[1]: Give 1 to 200 printable characters.",
        ),
        (["endpoint", "renew", "none"], "slug: "),
        (["endpoint", "revoke", "none"], "slug: "),
    ],
)
def test_what_is_refused_is_one_sentence_and_status_1(
    switchboard: Command, arguments: list[str], sentence: str
) -> None:
    done = switchboard.here(*arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(sentence)
    assert len(done.err.splitlines()) == 1
