-- name: policies_of_queues(queue_ids)
-- Every queue asked for, with its policy where it has one, and the clock of this look.
select q.id as queue_id, switchboard.clock() as at, p.version, p.max_in_flight, p.max_claims_per_window,
    p.window_period, p.window_tz, p.window_start, p.window_weekday
from unnest(:queue_ids::bigint[]) as q (id)
left join switchboard.policies p on p.queue_id = q.id;

-- name: usage_of_queues(queue_ids, definitions, starts)
-- used is null where no window is asked for.
select k.queue_id, switchboard.in_flight(k.queue_id) as in_flight,
    switchboard.live_lease_expires_at(k.queue_id, switchboard.clock()) as live_lease_expires_at,
    case when k.definition is not null
        then switchboard.window_used(k.queue_id, k.definition, k.starts_at) end as used
from unnest(:queue_ids::bigint[], :definitions::text[], :starts::timestamptz[]) as k (queue_id, definition, starts_at);

-- name: lock_policy(queue_id)^
select * from switchboard.policies where queue_id = :queue_id for update;

-- name: exclude_claims()#
-- Waits for the claims that found no policy here, which hold this table's weakest lock until they commit, and keeps new
-- ones out until we do: the first claim under a new policy must count them all. Bounded, since all claims wait with us.
set local lock_timeout = '50ms';
lock table switchboard.policies in access exclusive mode;

-- name: insert_policy(queue_id, max_in_flight, max_claims_per_window, window_period, window_tz, window_start, window_weekday, human_id)^
-- Nothing when another writer was first.
insert into switchboard.policies (
    queue_id, version, max_in_flight, max_claims_per_window, window_period, window_tz, window_start, window_weekday,
    created_by_human_id, updated_by_human_id, created_at, updated_at)
select :queue_id, 0, :max_in_flight, :max_claims_per_window, :window_period, :window_tz, :window_start, :window_weekday,
    :human_id, :human_id, c.at, c.at
from (select switchboard.clock() as at offset 0) c
on conflict (queue_id) do nothing
returning *;

-- name: update_policy(max_in_flight, max_claims_per_window, window_period, window_tz, window_start, window_weekday, human_id, queue_id)^
update switchboard.policies
set max_in_flight = :max_in_flight, max_claims_per_window = :max_claims_per_window, window_period = :window_period,
    window_tz = :window_tz, window_start = :window_start, window_weekday = :window_weekday,
    updated_by_human_id = :human_id, updated_at = switchboard.clock()
where queue_id = :queue_id
returning *;

-- name: delete_policy(queue_id)^
delete from switchboard.policies where queue_id = :queue_id returning *;

-- name: add_audit(queue_id, action, human_id, endpoint_id, before, after)!
insert into switchboard.policy_audit (queue_id, at, action, human_id, endpoint_id, before, after)
values (:queue_id, switchboard.clock(), :action, :human_id, :endpoint_id, :before, :after);

-- name: audit_of_queue(queue_id, limit)
select a.at, a.action, h.name as human, e.slug as endpoint, a.before, a.after
from switchboard.policy_audit a
join switchboard.humans h on h.id = a.human_id
left join switchboard.endpoints e on e.id = a.endpoint_id
where a.queue_id = :queue_id
order by a.id desc
limit :limit;

-- name: policy_authors(queue_id)^
select c.name as created_by, u.name as updated_by, p.created_at, p.updated_at
from switchboard.policies p
join switchboard.humans c on c.id = p.created_by_human_id
join switchboard.humans u on u.id = p.updated_by_human_id
where p.queue_id = :queue_id;
