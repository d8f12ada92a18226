"""switchboard migrate and serve: what cannot be used is said in a sentence before anything starts."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from switchboard.main import _listening
from switchboard.settings import read_settings
from switchboard.store.migrations import known_migrations
from tests.support.databases import Databases

from .conftest import Command


async def test_an_empty_database_is_migrated_once(databases: Databases) -> None:
    async with databases.empty() as url:
        migrate = Command({"SWITCHBOARD_DATABASE_URL": url})
        first, second = migrate("migrate", "--post"), migrate("migrate")
        assert (first.status, first.out.splitlines()) == (
            0,
            [f"Applied {one.number:04d} {one.phase} {one.name}." for one in known_migrations()],
        )
        assert (second.status, second.out) == (0, "Nothing to apply.\n")


async def test_a_database_of_a_newer_release_is_left_alone(databases: Databases) -> None:
    async with databases.fresh() as url:
        connection = await asyncpg.connect(url)
        await connection.execute(
            "insert into switchboard.schema_migrations (number, name, phase) values (9999, 'future', 'post')"
        )
        await connection.close()
        for command in (["migrate"], ["serve", "--port", "0"]):
            done = Command({"SWITCHBOARD_DATABASE_URL": url})(*command)
            assert (done.status, done.out) == (1, "")
            assert done.err == (
                "The database was migrated by a newer release (it has 9999_post_future); upgrade this one.\n"
            )


@pytest.mark.parametrize("command", [["migrate"], ["serve", "--port", "0"], ["human", "token", "ada"]])
@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/none", "nonsense"])
def test_a_database_that_is_not_there_is_one_sentence(command: list[str], url: str) -> None:
    done = Command({"SWITCHBOARD_DATABASE_URL": url})(*command)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("The database does not answer: ")
    assert len(done.err.splitlines()) == 1


async def test_a_role_that_may_not_migrate_is_told_so_in_a_sentence(databases: Databases) -> None:
    async with databases.empty() as url:
        connection = await asyncpg.connect(url)
        await connection.execute("create role powerless login password 'p'")
        await connection.close()
        address = urlsplit(url)
        powerless = urlunsplit(address._replace(netloc=f"powerless:p@{address.hostname}:{address.port}"))
        try:
            done = Command({"SWITCHBOARD_DATABASE_URL": powerless})("migrate")
            assert (done.status, done.out) == (1, "")
            assert "permission denied" in done.err
            assert len(done.err.splitlines()) == 1
        finally:
            connection = await asyncpg.connect(url)
            await connection.execute("drop role powerless")
            await connection.close()


def test_a_port_in_use_is_said_before_anything_starts(switchboard: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = switchboard("serve", "--port", str(port))
    assert done.status in (1, 2)
    assert f"cannot listen on 127.0.0.1:{port}" in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SWITCHBOARD_PORT", "http", "SWITCHBOARD_PORT must be a whole number from 0 to 65535, not 'http'."),
        ("SWITCHBOARD_PORT", "65536", "SWITCHBOARD_PORT must be a whole number from 0 to 65535, not '65536'."),
        ("SWITCHBOARD_READ_SECONDS", "0", "SWITCHBOARD_READ_SECONDS must be a number of seconds"),
        ("SWITCHBOARD_READ_SECONDS", "inf", "SWITCHBOARD_READ_SECONDS must be a number of seconds"),
        ("SWITCHBOARD_STATEMENT_SECONDS", "16", "SWITCHBOARD_STATEMENT_SECONDS must not be above"),
        ("SWITCHBOARD_CLAIM_CONNECTIONS", "0", "SWITCHBOARD_CLAIM_CONNECTIONS must be a whole number from 1 to 200"),
        ("SWITCHBOARD_PUBLIC_ORIGINS", "board.example.org", "SWITCHBOARD_PUBLIC_ORIGINS must list origins"),
        ("SWITCHBOARD_PUBLIC_ORIGINS", "https://a.example/path", "SWITCHBOARD_PUBLIC_ORIGINS must list origins"),
        ("SWITCHBOARD_PUBLIC_ORIGINS", "*", "SWITCHBOARD_PUBLIC_ORIGINS must list origins"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(switchboard: Command, name: str, value: str, sentence: str) -> None:
    done = switchboard.here("serve", "--host", "127.0.0.1", **{name: value})
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(sentence)
    assert len(done.err.splitlines()) == 1


def test_help_lists_the_commands() -> None:
    done = Command({})("--help")
    assert done.status == 0
    for word in ("serve", "demo", "human", "endpoint", "queue", "migrate"):
        assert word in done.out


def test_the_listener_names_its_protocol_so_that_small_answers_are_not_held_back() -> None:
    with _listening(read_settings({}, host="127.0.0.1", port=0, data=None)) as listener:
        assert listener.proto == socket.IPPROTO_TCP
