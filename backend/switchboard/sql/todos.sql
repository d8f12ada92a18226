-- name: enqueue(queue_id, endpoint_id, kind, source, title, payload, tags, idempotency_key, max_attempts, not_before)^
-- Nothing when a live todo holds the idempotency key.
insert into switchboard.todos (
    queue_id, endpoint_id, kind, source, title, payload, tags, idempotency_key, max_attempts, state, not_before,
    created_at, updated_at)
select :queue_id, :endpoint_id, :kind, :source, :title, :payload, :tags, :idempotency_key, :max_attempts,
    case when :not_before::timestamptz > c.at then 'scheduled' else 'pending' end, :not_before, c.at, c.at
from (select switchboard.clock() as at offset 0) c
on conflict (endpoint_id, idempotency_key)
    where idempotency_key is not null and state in ('scheduled', 'pending', 'claimed', 'failed')
    do nothing
returning *;

-- name: live_todo_by_key(endpoint_id, idempotency_key)^
select * from switchboard.todos
where endpoint_id = :endpoint_id and idempotency_key = :idempotency_key
    and state in ('scheduled', 'pending', 'claimed', 'failed');

-- name: todo_in_queues(todo_id, queue_ids)^
select t.*, e.slug as claimant from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
where t.id = :todo_id and t.queue_id = any (:queue_ids);

-- name: todos_in_queues(queue_ids, states, before_id, limit)
select t.*, e.slug as claimant
from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
where t.queue_id = any (:queue_ids)
    and (:states::text[] is null or t.state = any (:states))
    and (:before_id::bigint is null or t.id < :before_id)
order by t.id desc
limit :limit;

-- name: attempts_of_todo(todo_id, queue_id)
select a.seq, e.slug as claimant, a.worker, a.claimed_at, a.ended_at, a.outcome
from switchboard.attempts a left join switchboard.endpoints e on e.id = a.claimant_id
where a.todo_id = :todo_id and a.queue_id = :queue_id
order by a.seq;
