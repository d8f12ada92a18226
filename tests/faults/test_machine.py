"""The state machine in its short form; the soak runs a longer one."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.machine import Machine, bench
from tests.support.databases import Databases
from tests.support.loop_thread import loop_thread


def test_every_verb_in_any_order_does_what_the_model_says(databases: Databases) -> None:
    with loop_thread() as loop, loop.entered(databases.fresh()) as url, bench(loop, url) as made:
        Machine.bench = made
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=120,
                stateful_step_count=40,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
