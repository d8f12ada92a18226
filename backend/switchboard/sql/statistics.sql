-- name: state_counts(queue_ids, cap)
-- Each counted up to the cap, so that a large table costs no more than a small one; each state is named, for the partial
-- indexes serve no other way.
select 'scheduled' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'scheduled' limit :cap) capped) as count
union all select 'pending' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'pending' limit :cap) capped) as count
union all select 'claimed' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'claimed' limit :cap) capped) as count
union all select 'done' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'done' limit :cap) capped) as count
union all select 'failed' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'failed' limit :cap) capped) as count
union all select 'dead' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'dead' limit :cap) capped) as count
union all select 'canceled' as state, (select count(*) from (
    select from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[]) and t.state = 'canceled' limit :cap) capped) as count;

-- name: oldest_waiting(queue_ids)$
select min(o.created_at)
from unnest(:queue_ids::bigint[]) as k (id)
cross join lateral (
    select t.created_at from switchboard.todos t where t.queue_id = k.id and t.state = 'pending'
    order by t.created_at, t.id limit 1
) o;

-- name: attempts_known()^
-- Attempts go with their todos, the lowest ids first: all are there while the first todo is, else those since the oldest.
select coalesce((select min(id) from switchboard.todos) = 1, false) as all_of_them,
    (select claimed_at from switchboard.attempts order by todo_id, seq limit 1) as since;

-- name: moments(hour_seconds, minutes)^
-- The instants from which the others count, by the database's clock: as constants of theirs, the planner knows how little
-- lies behind them.
select c.at - :hour_seconds::integer * interval '1 s' as hour,
    date_trunc('minute', c.at) - (:minutes::integer - 1) * interval '1 minute' as first_minute
from (select switchboard.clock() as at offset 0) c;

-- name: throughput(queue_ids, since)^
select
    (select count(*) from switchboard.attempts a
     where a.claimed_at >= :since and a.queue_id = any (:queue_ids::bigint[])) as claimed,
    count(*) filter (where a.outcome = 'completed') as completed,
    count(*) filter (where a.outcome = 'failed') as failed,
    count(*) filter (where a.outcome = 'lapsed') as lapsed
from switchboard.attempts a
where a.ended_at >= :since and a.queue_id = any (:queue_ids::bigint[]);

-- name: minutes(queue_ids, since, minutes)
with buckets as (
    select :since::timestamptz + n * interval '1 minute' as at from generate_series(0, :minutes::integer - 1) n
),
began as (
    select date_trunc('minute', a.claimed_at) as at, count(*) as claimed,
        percentile_disc(array[0.5, 0.95]) within group (order by extract(epoch from a.claimed_at - t.created_at)) as waited
    from switchboard.attempts a
    left join lateral (
        select o.created_at from switchboard.todos o where o.id = a.todo_id and o.queue_id = a.queue_id and a.seq = 1
    ) t on true
    where a.claimed_at >= :since and a.queue_id = any (:queue_ids::bigint[])
    group by 1
),
ended as (
    select date_trunc('minute', a.ended_at) as at,
        count(*) filter (where a.outcome = 'completed') as completed,
        count(*) filter (where a.outcome = 'failed') as failed
    from switchboard.attempts a
    where a.ended_at >= :since and a.queue_id = any (:queue_ids::bigint[])
    group by 1
)
select b.at, coalesce(began.claimed, 0) as claimed, coalesce(ended.completed, 0) as completed,
    coalesce(ended.failed, 0) as failed, began.waited[1] as waited_p50, began.waited[2] as waited_p95
from buckets b left join began using (at) left join ended using (at)
order by b.at;

-- name: kinds(queue_ids, limit)
select t.kind, count(*) as count from switchboard.todos t where t.queue_id = any (:queue_ids::bigint[])
group by t.kind order by t.kind limit :limit;

-- name: storage()^
-- The age of the oldest snapshot that others hold: it keeps dead rows from being cleared away, which slows claims down.
select current_setting('server_version') as server_version, pg_database_size(current_database()) as database_bytes,
    (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
    current_setting('max_connections')::integer as max_connections,
    (select (extract(epoch from max(clock_timestamp() - xact_start)) * 1000)::bigint from pg_stat_activity
     where backend_xmin is not null and pid <> pg_backend_pid()) as oldest_snapshot_ms;

-- name: tables()
select c.relname as table, nullif(c.reltuples, -1)::bigint as rows_estimated,
    pg_total_relation_size(c.oid) as total_bytes, pg_indexes_size(c.oid) as index_bytes, s.n_dead_tup as dead_rows,
    greatest(s.last_vacuum, s.last_autovacuum) as last_vacuum_at,
    greatest(s.last_analyze, s.last_autoanalyze) as last_analyze_at
from pg_class c join pg_namespace n on n.oid = c.relnamespace
left join pg_stat_user_tables s on s.relid = c.oid
where n.nspname = 'switchboard' and c.relkind = 'r'
order by pg_total_relation_size(c.oid) desc, c.relname;

-- name: window_usage(queue_id, limit)
select window_definition, window_started_at, used from switchboard.usage where queue_id = :queue_id
order by window_started_at desc, window_definition limit :limit;

-- name: in_flight(queue_id, limit)
select t.*, e.slug as claimant from switchboard.todos t left join switchboard.endpoints e on e.id = t.claimant_id
where t.queue_id = :queue_id and t.state = 'claimed' order by t.lease_expires_at, t.id limit :limit;
