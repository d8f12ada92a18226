"""REQ-10, D8: what a grant holds unless more is asked for. The verbs that change a budget are never among it."""

from __future__ import annotations

from switchboard.service.endpoints import BASIC_VERBS
from tests.support.scenario import World

CHANGE_A_BUDGET = {"set_admission_policy", "clear_admission_policy"}


async def test_a_new_endpoint_may_work_and_read_its_budget_and_not_change_it(world: World) -> None:
    credential = await world.service.endpoints.add(await world.human("ada"), "plain", ["q"])
    caller = await world.service.callers.endpoint(credential)
    assert caller is not None
    granted = {verb.value for verb in caller.verbs}
    assert granted >= {"enqueue", "claim", "claim_next", "complete", "fail", "release", "heartbeat", "admission_status"}
    assert granted & CHANGE_A_BUDGET == set()
    assert {verb.value for verb in BASIC_VERBS} & CHANGE_A_BUDGET == set()
    stored = await world.sql.fetchval("select verbs from switchboard.endpoints where slug = 'plain'")
    assert set(stored) & CHANGE_A_BUDGET == set()
