-- name: lock_due()^
-- The schedule that is longest due and that no other server holds, with the clock that decides.
with clock as materialized (select switchboard.clock() as at)
select s.id, s.version, s.cron, s.tz, s.missed, s.next_fire_at, c.at
from clock c cross join switchboard.schedules s
where not s.paused and s.fault is null and s.next_fire_at <= c.at
order by s.next_fire_at, s.id
limit 1
for update of s skip locked;

-- name: make_todo(scheduled_at, schedule_id)$
-- One todo for one scheduled instant; nothing when there was one, or when no endpoint drains the queue. A team's queue
-- has no endpoint of its own: the todo is made in the name of the first that was granted it.
with template as (
    select s.*, coalesce(q.endpoint_id,
        (select min(g.endpoint_id) from switchboard.endpoint_queues g where g.queue_id = q.id)) as endpoint_id
    from switchboard.schedules s join switchboard.queues q on q.id = s.queue_id
    where s.id = :schedule_id and not exists (
        select from switchboard.schedule_fires f where f.schedule_id = s.id and f.scheduled_at = :scheduled_at)
),
made as (
    insert into switchboard.todos (
        queue_id, endpoint_id, kind, source, title, payload, tags, max_attempts, state, created_at, updated_at)
    select t.queue_id, t.endpoint_id, t.kind, t.source, t.title, t.payload, t.tags, t.max_attempts, 'pending', c.at, c.at
    from template t cross join (select switchboard.clock() as at offset 0) c
    where t.endpoint_id is not null
    returning queue_id, id
)
insert into switchboard.schedule_fires (schedule_id, scheduled_at, queue_id, todo_id)
select :schedule_id, :scheduled_at, m.queue_id, m.id from made m
returning todo_id;

-- name: lock_one(schedule_id)!
-- Whoever makes its todos by hand or by the clock does so one after the other.
select from switchboard.schedules where id = :schedule_id for update;

-- name: free_instant(schedule_id)$
-- Now, or as many microseconds later as it takes to be no instant of a fire before.
select c.at + n * interval '1 microsecond'
from (select switchboard.clock() as at offset 0) c, generate_series(0, 1000) n
where not exists (
    select from switchboard.schedule_fires f
    where f.schedule_id = :schedule_id and f.scheduled_at = c.at + n * interval '1 microsecond')
order by n limit 1;

-- name: fired(schedule_id, scheduled_at)$
select exists (
    select from switchboard.schedule_fires where schedule_id = :schedule_id and scheduled_at = :scheduled_at);

-- name: forget_fires()!
-- They keep an instant from firing twice; the latest of each schedule stays.
delete from switchboard.schedule_fires f
where f.scheduled_at < switchboard.clock() - interval '35 days'
    and exists (
        select from switchboard.schedule_fires l where l.schedule_id = f.schedule_id and l.scheduled_at > f.scheduled_at);

-- name: advance(next_fire_at, last_fired_at, schedule_id, version, was_due_at)$
-- Nothing when the schedule is no longer what was read.
update switchboard.schedules
set next_fire_at = :next_fire_at, last_fired_at = coalesce(:last_fired_at, last_fired_at)
where id = :schedule_id and version = :version and next_fire_at = :was_due_at
returning id;

-- name: set_aside(fault, schedule_id)!
update switchboard.schedules set fault = :fault, updated_at = switchboard.clock() where id = :schedule_id;

-- name: visible(human_id, operator, schedule_id)
-- What a human may read (D6), and whether they may manage it; all, or one.
select s.*, q.name as queue, q.scope, h.name as created_by,
    coalesce(q.human_id = :human_id, false) or coalesce(m.role in ('admin', 'owner'), false) as manageable
from switchboard.schedules s
join switchboard.queue_identities q on q.id = s.queue_id
join switchboard.humans h on h.id = s.created_by_human_id
left join switchboard.team_members m on m.team_id = q.owning_team_id and m.human_id = :human_id
where (:operator::boolean or q.human_id = :human_id or m.human_id is not null)
    and (:schedule_id::bigint is null or s.id = :schedule_id)
order by s.name, s.id;

-- name: clock()$
select switchboard.clock();

-- name: add(queue_id, name, kind, title, source, payload, tags, max_attempts, cron, tz, missed, next_fire_at, human_id)$
-- Nothing when the queue has a schedule of the name.
insert into switchboard.schedules (
    queue_id, name, kind, title, source, payload, tags, max_attempts, cron, tz, missed, next_fire_at,
    created_by_human_id, created_at, updated_at)
select :queue_id, :name, :kind, :title, :source, :payload, :tags, :max_attempts, :cron, :tz, :missed, :next_fire_at,
    :human_id, c.at, c.at
from (select switchboard.clock() as at offset 0) c
on conflict (queue_id, name) do nothing
returning id;

-- name: edit(name, kind, title, source, payload, tags, max_attempts, cron, tz, missed, next_fire_at, schedule_id, version)$
-- Nothing when it is no longer the version that was seen.
update switchboard.schedules
set name = :name, kind = :kind, title = :title, source = :source, payload = :payload, tags = :tags,
    max_attempts = :max_attempts, cron = :cron, tz = :tz, missed = :missed, next_fire_at = :next_fire_at, fault = null,
    version = version + 1, updated_at = switchboard.clock()
where id = :schedule_id and version = :version
returning id;

-- name: set_paused(paused, next_fire_at, schedule_id)!
update switchboard.schedules
set paused = :paused, next_fire_at = coalesce(:next_fire_at, next_fire_at), version = version + 1,
    updated_at = switchboard.clock()
where id = :schedule_id and paused <> :paused;

-- name: remove(schedule_id)$
delete from switchboard.schedules where id = :schedule_id returning id;
