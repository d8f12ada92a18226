-- name: reap_lapsed(batch)^
-- Lapsed claims go back to pending, or to the dead letters at the attempt cap.
with clock as materialized (select switchboard.clock() as at),  -- a volatile call per row would bar the index
lapsed as (
    select l.queue_id, l.id
    from clock c
    cross join switchboard.queues q
    cross join lateral (
        select t.queue_id, t.id from switchboard.todos t
        where t.queue_id = q.id and t.state = 'claimed' and t.lease_expires_at <= c.at
        order by t.lease_expires_at limit :batch for update skip locked
    ) l
    limit :batch
),
reaped as (
    update switchboard.todos t
    set state = case when t.attempt >= t.max_attempts then 'dead' else 'pending' end,
        error = case when t.attempt >= t.max_attempts
            then 'The lease of the last attempt ran out.' else t.error end,
        finished_at = case when t.attempt >= t.max_attempts then c.at end,
        claimant_id = null, worker = null, fence = null, lease_expires_at = null, updated_at = c.at
    from lapsed l cross join clock c
    where t.id = l.id and t.queue_id = l.queue_id
    returning t.queue_id, t.id, t.claims, t.state, t.updated_at
),
closed as (
    update switchboard.attempts a set ended_at = r.updated_at, outcome = 'lapsed'
    from reaped r
    where a.todo_id = r.id and a.seq = r.claims and a.queue_id = r.queue_id
)
select count(*) filter (where state = 'pending') as pending, count(*) filter (where state = 'dead') as dead from reaped;

-- name: promote_due(batch)^
-- Parked retries whose time has come, and scheduled todos, become pending.
with clock as materialized (select switchboard.clock() as at),
due as (
    select d.queue_id, d.id
    from clock c
    cross join switchboard.queues q
    cross join lateral (
        select t.queue_id, t.id from switchboard.todos t
        where t.queue_id = q.id and t.state = 'failed' and t.next_retry_at <= c.at
        order by t.next_retry_at limit :batch for update skip locked
    ) d
    limit :batch
),
scheduled as (
    select d.queue_id, d.id
    from clock c
    cross join switchboard.queues q
    cross join lateral (
        select t.queue_id, t.id from switchboard.todos t
        where t.queue_id = q.id and t.state = 'scheduled' and t.not_before <= c.at
        order by t.not_before limit :batch for update skip locked
    ) d
    limit :batch
),
promoted as (
    update switchboard.todos t
    set state = 'pending', next_retry_at = null, updated_at = c.at
    from (select * from due union all select * from scheduled) d cross join clock c
    where t.id = d.id and t.queue_id = d.queue_id
    returning t.id
)
select count(*) as promoted from promoted;
