-- name: manageable_todo(todo_id, human_id)^
-- The todo's queue if this human may configure it, as for policies.
select t.queue_id, t.state, q.name, q.endpoint, t.endpoint_id, q.scope
from switchboard.todos t join switchboard.queue_identities q on q.id = t.queue_id
where t.id = :todo_id and switchboard.manages(:human_id, q.id);

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

-- name: retry_many(todo_ids, queue_ids)^
-- Of the todos that stand still and may be managed: retried are those parked or dead, but for those whose idempotency
-- key another live todo holds; of several with one key the newest. queue_id: the one queue of all found, else null.
with found as materialized (
    select t.id, t.queue_id, t.endpoint_id, t.idempotency_key, t.state from switchboard.todos t
    where t.id = any (:todo_ids::bigint[]) and t.queue_id = any (:queue_ids::bigint[])
    order by t.id for update
),
keyed as (
    select f.id, f.queue_id,
        -- a parked todo holds its key itself
        f.idempotency_key is null or f.state = 'failed' or (
            row_number() over (partition by f.endpoint_id, f.idempotency_key order by f.state <> 'failed', f.id desc) = 1
            and not exists (
                select from switchboard.todos l
                where l.endpoint_id = f.endpoint_id and l.idempotency_key = f.idempotency_key
                    and l.state in ('scheduled', 'pending', 'claimed', 'failed')
            )
        ) as free
    from found f
    where f.state in ('failed', 'dead')
),
retried as (
    update switchboard.todos t
    set state = 'pending', attempt = 0, next_retry_at = null, finished_at = null, claimant_id = null, worker = null,
        updated_at = c.at
    from keyed k, (select switchboard.clock() as at offset 0) c
    where t.id = k.id and t.queue_id = k.queue_id and k.free
    returning t.id
)
select (select count(*) from found) as found, (select count(*) from retried) as changed,
    (select min(queue_id) from found having min(queue_id) = max(queue_id)) as queue_id;

-- name: cancel_many(todo_ids, queue_ids)^
-- Of the todos that stand still and may be managed: canceled are those that nobody holds and that have not ended.
with found as materialized (
    select t.id, t.queue_id, t.state from switchboard.todos t
    where t.id = any (:todo_ids::bigint[]) and t.queue_id = any (:queue_ids::bigint[])
    order by t.id for update
),
canceled as (
    update switchboard.todos t
    set state = 'canceled', next_retry_at = null, finished_at = c.at, updated_at = c.at
    from found f, (select switchboard.clock() as at offset 0) c
    where t.id = f.id and t.queue_id = f.queue_id and f.state in ('scheduled', 'pending', 'failed', 'dead')
    returning t.id
)
select (select count(*) from found) as found, (select count(*) from canceled) as changed,
    (select min(queue_id) from found having min(queue_id) = max(queue_id)) as queue_id;
