-- name: claim_next(endpoint_id, caller_version, queue_ids, versions, faults, definitions, starts, ends, lease, worker, fence, max)
select * from switchboard.claim_next(
    switchboard.standing_caller(:endpoint_id, :caller_version), :queue_ids, :versions, :faults, :definitions, :starts,
    :ends, :lease, :worker, :fence, :max);

-- name: claim_todo(todo_id, endpoint_id, caller_version, queue_ids, versions, faults, definitions, starts, ends, lease, worker, fence)
select * from switchboard.claim_todo(
    :todo_id, switchboard.standing_caller(:endpoint_id, :caller_version), :queue_ids, :versions, :faults, :definitions,
    :starts, :ends, :lease, :worker, :fence);

-- name: complete(endpoint_id, caller_version, queue_ids, todo_ids, results, fences)
select * from switchboard.complete(
    switchboard.standing_caller(:endpoint_id, :caller_version), :queue_ids, :todo_ids, :results, :fences, false,
    null, null, null, null, null, null, null, null, null, null);

-- name: complete_and_claim_next(endpoint_id, caller_version, granted_ids, todo_ids, results, fences, queue_ids, versions, faults, definitions, starts, ends, lease, worker, fence, max)
select * from switchboard.complete(
    switchboard.standing_caller(:endpoint_id, :caller_version), :granted_ids, :todo_ids, :results, :fences, true,
    :queue_ids, :versions, :faults, :definitions, :starts, :ends, :lease, :worker, :fence, :max);

-- name: end_claim(todo_id, endpoint_id, caller_version, queue_ids, outcome, error, retry, fence)
-- A claim that fails or is released.
select * from switchboard.end_claim(
    :todo_id, switchboard.standing_caller(:endpoint_id, :caller_version), :queue_ids, :outcome, null, :error, :retry,
    :fence);

-- name: extend_claim(todo_id, endpoint_id, caller_version, queue_ids, lease, fence)
select * from switchboard.extend_claim(
    :todo_id, switchboard.standing_caller(:endpoint_id, :caller_version), :queue_ids, :lease, :fence);
