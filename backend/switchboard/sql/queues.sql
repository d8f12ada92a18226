-- name: manageable_queue(human_id, name, scope_kind, scope_key)^
-- The queue identity if this human may configure it: own endpoint, or a team where the role is admin or owner (REQ-10).
select q.id, q.name,
    case when q.team_id is null then 'endpoint:' || e.slug else 'team:' || t.slug end as scope,
    coalesce(e.state, 'active') as endpoint_state
from switchboard.queues q
left join switchboard.endpoints e on e.id = q.endpoint_id
left join switchboard.teams t on t.id = coalesce(q.team_id, e.team_id)
left join switchboard.team_members m on m.team_id = t.id and m.human_id = :human_id and m.role in ('admin', 'owner')
where q.name = :name
    and case when :scope_kind::text = 'endpoint'
        then e.slug = :scope_key or e.id::text = :scope_key
        else q.team_id is not null and (t.slug = :scope_key or t.id::text = :scope_key) end
    and (e.human_id = :human_id or m.human_id is not null)
order by coalesce(e.slug, t.slug) = :scope_key desc
limit 1;

-- name: visible_queues(human_id, operator)
-- What a human may read (D6): own endpoints, own teams by any role, everything for an instance operator.
select q.id, q.name,
    case when q.team_id is null then 'endpoint:' || e.slug else 'team:' || t.slug end as scope,
    coalesce(e.human_id = :human_id, false) or coalesce(m.role in ('admin', 'owner'), false) as manageable
from switchboard.queues q
left join switchboard.endpoints e on e.id = q.endpoint_id
left join switchboard.teams t on t.id = coalesce(q.team_id, e.team_id)
left join switchboard.team_members m on m.team_id = t.id and m.human_id = :human_id
where :operator::boolean or e.human_id = :human_id or m.human_id is not null
order by scope, q.name;

-- name: pending_counts(queue_ids, cap)
-- Counted up to the cap.
select k.id as queue_id, p.pending
from unnest(:queue_ids::bigint[]) as k (id)
cross join lateral (
    select count(*) as pending
    from (select from switchboard.todos t where t.queue_id = k.id and t.state = 'pending' limit :cap) capped
) p;
