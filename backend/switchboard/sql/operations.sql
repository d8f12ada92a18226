-- name: move_sources(human_id, name, queue_ids)
-- Those of the queues that have a sibling of this name: another queue of the same endpoint, or of the same team.
select q.id from switchboard.queues q
join switchboard.queues s
    on s.name = :name and s.id <> q.id and (s.endpoint_id = q.endpoint_id or s.team_id = q.team_id)
where q.id = any (:queue_ids::bigint[]) and switchboard.manages(:human_id, s.id);

-- name: submit(human_id, key, kind, filter, everything, queue, expected)$
-- The id of the new operation; none when this human has used the key. What is created from here on is not its.
insert into switchboard.operations
    (human_id, key, kind, filter, everything, queue, expected, through_id, created_at)
values (
    :human_id, :key, :kind, :filter, :everything, :queue, :expected,
    coalesce((select max(id) from switchboard.todos), 0), switchboard.clock())
on conflict (human_id, key) do nothing
returning id;

-- name: id_of_key(human_id, key)$
select id from switchboard.operations where human_id = :human_id and key = :key;

-- name: operation(id, human_id, operator)^
select o.*, h.name as human from switchboard.operations o join switchboard.humans h on h.id = o.human_id
where o.id = :id and (:operator::boolean or o.human_id = :human_id);

-- name: operations(human_id, operator, before_id, limit)
select o.*, h.name as human from switchboard.operations o join switchboard.humans h on h.id = o.human_id
where (:operator::boolean or o.human_id = :human_id) and (:before_id::bigint is null or o.id < :before_id)
order by o.id desc
limit :limit;

-- name: cancel(id, human_id)$
-- Its id when it is being canceled now, or was already.
update switchboard.operations set state = case when state = 'canceled' then state else 'canceling' end
where id = :id and human_id = :human_id and state in ('scanning', 'running', 'canceling', 'canceled')
returning id;

-- name: active(kinds, after_id)^
-- The next operation that is not at its end, of the kinds that this server knows.
select id, state from switchboard.operations
where state in ('scanning', 'running', 'canceling') and kind = any (:kinds::text[]) and id > :after_id
order by id limit 1;

-- name: lock_scan(id)^
-- One scanner at a time; nothing when another has it.
select * from switchboard.operations where id = :id and state = 'scanning' for no key update skip locked;

-- name: scanned(id, scanned_id)!
update switchboard.operations
set scanned_id = :scanned_id, failures = 0, started_at = coalesce(started_at, switchboard.clock())
where id = :id;

-- name: scan_ended(id)!
update switchboard.operations
set state = 'running', failures = 0, started_at = coalesce(started_at, switchboard.clock()),
    total = (select count(*) from switchboard.operation_items where operation_id = :id)
where id = :id;

-- name: hold_running(id)^
-- Held by every executor with a batch of it; only `finish` cannot go past.
select * from switchboard.operations where id = :id and state = 'running' for key share skip locked;

-- name: bound_lock_waits(milliseconds)$
-- For this transaction: a todo that somebody holds for longer is taken up by a later batch.
select set_config('lock_timeout', (:milliseconds::integer)::text, true);

-- name: next_items(operation_id, batch)
select todo_id from switchboard.operation_items
where operation_id = :operation_id and outcome is null
order by todo_id limit :batch for update skip locked;

-- name: lock_todo(todo_id)^
select queue_id, state from switchboard.todos where id = :todo_id for update;

-- name: standing(operation_id, queue_id)^
-- Whether the operation goes on, and whether its human may still configure the queue.
select state = 'running' as running, switchboard.manages(human_id, :queue_id) as manages
from switchboard.operations where id = :operation_id;

-- name: move(todo_id, queue_id, human_id, name)^
-- To the sibling of this name, with its attempts; charges stay where they were made. Nothing when there is none.
with moved as (
    update switchboard.todos t set queue_id = s.id, updated_at = switchboard.clock()
    from switchboard.queues q
    join switchboard.queues s
        on s.name = :name and s.id <> q.id and (s.endpoint_id = q.endpoint_id or s.team_id = q.team_id)
    where q.id = :queue_id and switchboard.manages(:human_id, s.id)
        and t.id = :todo_id and t.queue_id = q.id and t.state in ('scheduled', 'pending', 'failed')
    returning t.id, t.queue_id
),
history as (
    update switchboard.attempts a set queue_id = m.queue_id from moved m
    where a.todo_id = m.id and a.queue_id = :queue_id
),
deliveries as (  -- a redelivery is free for as long as the todo lives, wherever it went
    update switchboard.webhook_event_todos l set queue_id = m.queue_id from moved m
    where l.todo_id = m.id and l.queue_id = :queue_id
)
select id from moved;

-- name: purge(todo_id, queue_id)^
with gone as (
    delete from switchboard.todos
    where id = :todo_id and queue_id = :queue_id and state in ('done', 'dead', 'canceled')
    returning id, queue_id
),
history as (
    delete from switchboard.attempts a using gone g where a.todo_id = g.id and a.queue_id = g.queue_id
)
select id from gone;

-- name: record_items(operation_id, todo_ids, outcomes)!
update switchboard.operation_items i set outcome = d.outcome
from unnest(:todo_ids::bigint[], :outcomes::text[]) as d (todo_id, outcome)
where i.operation_id = :operation_id and i.todo_id = d.todo_id;

-- name: count_items(id, changed, skipped, conflict, gone)!
update switchboard.operations
set changed = changed + :changed, skipped = skipped + :skipped, conflict = conflict + :conflict, gone = gone + :gone,
    failures = 0
where id = :id;

-- name: finish(id)$
-- Its id when it has come to its end now: no batch of it is under way anywhere, and nothing waits or it is canceled.
update switchboard.operations o
set state = case when l.state = 'canceling' then 'canceled' else 'done' end, finished_at = switchboard.clock()
from (
    select id, state from switchboard.operations
    where id = :id and state in ('running', 'canceling') for update skip locked
) l
where o.id = l.id and (
    l.state = 'canceling'
    or not exists (select from switchboard.operation_items i where i.operation_id = :id and i.outcome is null)
)
returning o.id;

-- name: count_failure(id, cap, error)$
-- True when that was one too many in a row, and the operation has ended by it.
update switchboard.operations
set failures = failures + 1,
    state = case when failures + 1 >= :cap then 'failed' else state end,
    error = case when failures + 1 >= :cap then :error else error end,
    finished_at = case when failures + 1 >= :cap then switchboard.clock() end
where id = :id and state in ('scanning', 'running', 'canceling')
returning state = 'failed';

-- name: prune_items(age, batch)$
-- How many items went, of operations that ended so long ago.
with old as (
    select i.operation_id, i.todo_id
    from switchboard.operations o
    cross join lateral (
        select operation_id, todo_id from switchboard.operation_items where operation_id = o.id limit :batch
    ) i
    where o.finished_at < switchboard.clock() - :age::interval
    limit :batch
),
pruned as (
    delete from switchboard.operation_items i using old
    where i.operation_id = old.operation_id and i.todo_id = old.todo_id
    returning 1
)
select count(*) from pruned;
