-- name: manageable_todo(todo_id, human_id)^
-- The todo's queue if this human may configure it, as for policies.
select t.queue_id, t.state, q.name, e.slug as endpoint, t.endpoint_id,
    case when q.team_id is null then 'endpoint:' || e.slug else 'team:' || tm.slug end as scope
from switchboard.todos t
join switchboard.queues q on q.id = t.queue_id
left join switchboard.endpoints e on e.id = q.endpoint_id
left join switchboard.teams tm on tm.id = coalesce(q.team_id, e.team_id)
left join switchboard.team_members m on m.team_id = tm.id and m.human_id = :human_id and m.role in ('admin', 'owner')
where t.id = :todo_id and (e.human_id = :human_id or m.human_id is not null);

-- name: retry_now(todo_id, queue_id)^
-- A parked or dead todo is pending at once, with all its attempts before it.
update switchboard.todos
set state = 'pending', attempt = 0, next_retry_at = null, finished_at = null, claimant_id = null, worker = null,
    updated_at = switchboard.clock()
where id = :todo_id and queue_id = :queue_id and state in ('failed', 'dead')
returning *;

-- name: cancel(todo_id, queue_id)^
-- What no worker holds and what has not ended.
update switchboard.todos
set state = 'canceled', next_retry_at = null, finished_at = switchboard.clock(), updated_at = switchboard.clock()
where id = :todo_id and queue_id = :queue_id and state in ('scheduled', 'pending', 'failed', 'dead')
returning *;
