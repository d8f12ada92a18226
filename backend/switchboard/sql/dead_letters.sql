-- name: dead_letter(todo_id, queue_ids)^
select t.*, e.slug as claimant from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
where t.id = :todo_id and t.state = 'dead' and t.queue_id = any (:queue_ids::bigint[]);

-- name: depth(queue_ids, cap)
-- Counted up to the cap; oldest is null where there is none.
select k.id as queue_id, d.dead, o.finished_at as oldest
from unnest(:queue_ids::bigint[]) as k (id)
cross join lateral (
    select count(*) as dead
    from (select from switchboard.todos t where t.queue_id = k.id and t.state = 'dead' limit :cap) capped
) d
left join lateral (
    select t.finished_at from switchboard.todos t
    where t.queue_id = k.id and t.state = 'dead' order by t.finished_at, t.id limit 1
) o on true;

-- name: queues_with_dead(queue_ids)
select k.id
from unnest(:queue_ids::bigint[]) as k (id)
where exists (select from switchboard.todos t where t.queue_id = k.id and t.state = 'dead')
order by k.id;

-- name: lock(todo_id, queue_id)$
-- The state of a todo that stands still from here on; null when it is gone.
select state from switchboard.todos where id = :todo_id and queue_id = :queue_id for update;

-- name: retry(todo_ids, queue_id)$
-- Dead todos that the transaction has locked are pending again, attempt 0. How many: all but those whose idempotency
-- key a live todo holds; of several with one key the one that died last.
with keyed as (
    select t.id,
        row_number() over (
            partition by t.endpoint_id, coalesce(t.idempotency_key, ''), case when t.idempotency_key is null then t.id end
            order by t.finished_at desc, t.id desc
        ) = 1 and not exists (
            select from switchboard.todos l
            where l.endpoint_id = t.endpoint_id and l.idempotency_key = t.idempotency_key
                and l.state in ('scheduled', 'pending', 'claimed', 'failed')
        ) as free
    from switchboard.todos t
    where t.id = any (:todo_ids::bigint[]) and t.queue_id = :queue_id and t.state = 'dead'
),
retried as (
    update switchboard.todos t
    set state = 'pending', attempt = 0, next_retry_at = null, finished_at = null, claimant_id = null, worker = null,
        updated_at = c.at
    from keyed k, (select switchboard.clock() as at offset 0) c
    where t.id = k.id and t.queue_id = :queue_id and k.free
    returning t.id
)
select count(*) from retried;

-- name: purge(todo_ids, queue_id)$
-- Dead todos that the transaction has locked are deleted, with their attempts. How many.
with gone as (
    delete from switchboard.todos
    where id = any (:todo_ids::bigint[]) and queue_id = :queue_id and state = 'dead'
    returning id
),
history as (
    delete from switchboard.attempts a using gone g where a.todo_id = g.id and a.queue_id = :queue_id
)
select count(*) from gone;

-- name: sibling_queue(queue_id, name, human_id)^
-- The queue of that name of the same owner, if this human may configure it.
select q.id, q.name, q.scope
from switchboard.queues s
join switchboard.queue_identities q on q.name = :name and (q.endpoint_id = s.endpoint_id or q.team_id = s.team_id)
where s.id = :queue_id and switchboard.manages(:human_id, q.id);

-- name: move(todo_id, queue_id, to_queue_id)^
-- A dead todo is pending in another queue, attempt 0; its attempts go with it, what was charged stays charged there.
with moved as (
    update switchboard.todos
    set queue_id = :to_queue_id, state = 'pending', attempt = 0, next_retry_at = null, finished_at = null,
        claimant_id = null, worker = null, updated_at = switchboard.clock()
    where id = :todo_id and queue_id = :queue_id and state = 'dead'
    returning *
),
history as (
    update switchboard.attempts a set queue_id = :to_queue_id
    from moved m where a.todo_id = m.id and a.queue_id = :queue_id
),
deliveries as (  -- a redelivery is free for as long as the todo lives, wherever it went
    update switchboard.webhook_event_todos l set queue_id = :to_queue_id
    from moved m where l.todo_id = m.id and l.queue_id = :queue_id
)
select * from moved;
