"""Several processes, one cluster."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from switchboard.store.embedded import EmbeddedPostgres, EmbeddedPostgresError

Make = Callable[..., EmbeddedPostgres]
Pid = Callable[..., int | None]


async def test_starters_at_once_get_one_server_and_the_last_one_out_stops_it(
    keeper: Callable[..., Any], server_pid: Pid
) -> None:
    keepers = [keeper() for _ in range(4)]
    addresses = {one.url for one in keepers}
    assert len(addresses) == 1
    pid = server_pid()
    for one in keepers[:-1]:
        assert one.end() == 0
        connection = await asyncpg.connect(addresses.copy().pop())
        await connection.close()
        assert server_pid() == pid
    assert keepers[-1].end() == 0
    assert server_pid() is None


def test_starters_at_once_in_one_process_get_one_server(embedded: Make, server_pid: Pid) -> None:
    several = [embedded(fresh=True) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        addresses = set(threads.map(EmbeddedPostgres.start, several))
        assert len(addresses) == 1
        assert sorted(threads.map(EmbeddedPostgres.stop, several)) == [False, False, False, True]
    assert server_pid() is None


def test_starting_and_stopping_at_once_never_hands_out_a_dead_server(embedded: Make, server_pid: Pid) -> None:
    def one_life(postgres: EmbeddedPostgres) -> None:
        postgres.start()
        try:
            assert server_pid()
        finally:
            postgres.stop()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(one_life, [embedded() for _ in range(12)]))
    assert server_pid() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_cleanly(keeper: Callable[..., Any], server_pid: Pid, number: int) -> None:
    one = keeper()
    assert one.url.startswith("postgresql://switchboard:")
    assert one.end(number) == 0
    assert server_pid() is None


def test_a_ctrl_c_at_the_terminal_does_not_reach_the_server(
    keeper: Callable[..., Any], embedded: Make, server_pid: Pid
) -> None:
    one = keeper()
    assert one.url
    pid = server_pid()
    assert pid
    assert os.getsid(pid) != os.getsid(one.process.pid)
    with embedded():
        os.killpg(one.process.pid, signal.SIGINT)
        assert one.process.wait(60) == 0
        assert server_pid() == pid


def test_remove_refuses_while_another_uses_it(embedded: Make, server_pid: Pid) -> None:
    first, second = embedded(), embedded()
    first.start()
    second.start()
    with pytest.raises(EmbeddedPostgresError, match="Another process uses"):
        first.remove()
    assert server_pid()
    second.remove()
    assert server_pid() is None


async def test_a_port_that_somebody_took_meanwhile_is_replaced_and_the_new_one_remembered(
    embedded: Make, open_folder: Path
) -> None:
    with embedded():
        before = int((open_folder / "data" / "postgres.port").read_text())
    with socket.create_server(("127.0.0.1", before)), embedded() as url:
        after = int((open_folder / "data" / "postgres.port").read_text())
        assert after != before
        assert f"127.0.0.1:{after}/" in url
        await (await asyncpg.connect(url)).close()
    with embedded() as again:
        assert again == url


async def test_a_port_taken_between_look_and_start_is_replaced(
    embedded: Make, monkeypatch: pytest.MonkeyPatch, open_folder: Path
) -> None:
    with embedded():
        before = int((open_folder / "data" / "postgres.port").read_text())
    monkeypatch.setattr("switchboard.store.embedded.ports._free", lambda port: True)
    with socket.create_server(("127.0.0.1", before)), embedded() as url:
        await (await asyncpg.connect(url)).close()
        assert f":{before}/" not in url


def test_a_start_that_never_ends_is_not_waited_for_for_ever(embedded: Make, open_folder: Path) -> None:
    from switchboard.store.embedded.locks import try_exclusive

    (open_folder / "data").mkdir()
    lock = try_exclusive(open_folder / "data" / "postgres.start.lock")
    assert lock
    with lock, pytest.raises(EmbeddedPostgresError, match="Another process has been starting"):
        embedded(patience=0.1).start()
