-- name: manageable_queue(human_id, name, scope_kind, scope_key)^
-- The queue identity if this human may configure it (REQ-10).
select q.id, q.name, q.scope, q.endpoint_state
from switchboard.queue_identities q
where q.name = :name
    and case when :scope_kind::text = 'endpoint'
        then q.endpoint = :scope_key or q.endpoint_id::text = :scope_key
        else q.team_id is not null and (q.team = :scope_key or q.team_id::text = :scope_key) end
    and switchboard.manages(:human_id, q.id)
order by coalesce(q.endpoint, q.team) = :scope_key desc
limit 1;

-- name: visible_queues(human_id, operator)
-- What a human may read (D6): own endpoints, own teams by any role, everything for an instance operator. Manageable as
-- switchboard.manages says; here it costs no look-up for each queue.
select q.id, q.name, q.scope,
    coalesce(q.human_id = :human_id, false) or coalesce(m.role in ('admin', 'owner'), false) as manageable
from switchboard.queue_identities q
left join switchboard.team_members m on m.team_id = q.owning_team_id and m.human_id = :human_id
where :operator::boolean or q.human_id = :human_id or m.human_id is not null
order by q.scope, q.name;

-- name: pending_counts(queue_ids, cap)
-- Counted up to the cap.
select k.id as queue_id, p.pending
from unnest(:queue_ids::bigint[]) as k (id)
cross join lateral (
    select count(*) as pending
    from (select from switchboard.todos t where t.queue_id = k.id and t.state = 'pending' limit :cap) capped
) p;
