-- name: note_sightings(endpoint_ids, names, instants)!
-- In the order of the key, so that two servers never wait for each other in a ring. An older sighting changes nothing.
insert into switchboard.workers as w (endpoint_id, name, first_seen_at, last_seen_at)
select s.endpoint_id, s.name, s.at, s.at
from unnest(:endpoint_ids::bigint[], :names::text[], :instants::timestamptz[]) as s (endpoint_id, name, at)
order by s.endpoint_id, s.name
on conflict (endpoint_id, name) do update set last_seen_at = excluded.last_seen_at
where w.last_seen_at < excluded.last_seen_at;

-- name: forget_silent(seconds)!
delete from switchboard.workers where last_seen_at < switchboard.clock() - :seconds::integer * interval '1 s';

-- name: workers(human_id, operator, limit)
-- Evidence: what was noted, and the claims that a worker holds, which tell of it before it is noted.
with holding as (
    select t.claimant_id as endpoint_id, t.worker as name, count(*) as in_flight,
        max(t.lease_expires_at) as lease_expires_at, max(t.updated_at) as seen_at
    from switchboard.queues q
    join switchboard.todos t on t.queue_id = q.id and t.state = 'claimed'
    where t.worker is not null
    group by 1, 2
)
select e.slug as endpoint, k.name, greatest(w.last_seen_at, h.seen_at) as last_seen_at,
    coalesce(h.in_flight, 0) as in_flight, h.lease_expires_at, switchboard.clock() as at
from (select endpoint_id, name from switchboard.workers union select endpoint_id, name from holding) k
join switchboard.endpoints e on e.id = k.endpoint_id
left join switchboard.workers w using (endpoint_id, name)
left join holding h using (endpoint_id, name)
where :operator::boolean or e.human_id = :human_id
    or exists (select from switchboard.team_members m where m.team_id = e.team_id and m.human_id = :human_id)
order by e.slug, k.name
limit :limit;
