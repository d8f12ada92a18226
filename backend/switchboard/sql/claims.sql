-- name: claim_next(endpoint_id, queue_ids, versions, faults, definitions, starts, ends, lease, worker, fence, max)
select * from switchboard.claim_next(
    :endpoint_id, :queue_ids, :versions, :faults, :definitions, :starts, :ends, :lease, :worker, :fence, :max);

-- name: claim_todo(todo_id, endpoint_id, queue_ids, versions, faults, definitions, starts, ends, lease, worker, fence)
select * from switchboard.claim_todo(
    :todo_id, :endpoint_id, :queue_ids, :versions, :faults, :definitions, :starts, :ends, :lease, :worker, :fence);

-- name: end_claim(todo_id, endpoint_id, queue_ids, outcome, result, error, retry, fence)^
select * from switchboard.end_claim(:todo_id, :endpoint_id, :queue_ids, :outcome, :result, :error, :retry, :fence);

-- name: extend_claim(todo_id, endpoint_id, queue_ids, lease, fence)^
select * from switchboard.extend_claim(:todo_id, :endpoint_id, :queue_ids, :lease, :fence);
