-- name: claim_next(endpoint_id, queue_ids, versions, faults, definitions, starts, ends, lease, worker, max)
select * from switchboard.claim_next(
    :endpoint_id, :queue_ids, :versions, :faults, :definitions, :starts, :ends, :lease, :worker, :max);

-- name: claim_todo(todo_id, endpoint_id, queue_ids, versions, faults, definitions, starts, ends, lease, worker)
select * from switchboard.claim_todo(
    :todo_id, :endpoint_id, :queue_ids, :versions, :faults, :definitions, :starts, :ends, :lease, :worker);

-- name: end_claim(todo_id, endpoint_id, queue_ids, outcome, result, error, retry)^
select * from switchboard.end_claim(:todo_id, :endpoint_id, :queue_ids, :outcome, :result, :error, :retry);

-- name: extend_claim(todo_id, endpoint_id, queue_ids, lease)^
select * from switchboard.extend_claim(:todo_id, :endpoint_id, :queue_ids, :lease);
