-- name: add_endpoint(slug, human_id, credential_hash, verbs, default_lease_seconds)$
insert into switchboard.endpoints (slug, human_id, credential_hash, verbs, default_lease_seconds)
values (:slug, :human_id, :credential_hash, :verbs, :default_lease_seconds)
on conflict (slug) do nothing
returning id;

-- name: add_queue(endpoint_id, name)$
-- The id of the endpoint's own queue of that name, made if it does not exist.
with made as (
    insert into switchboard.queues (endpoint_id, name) values (:endpoint_id, :name)
    on conflict (endpoint_id, name) where endpoint_id is not null do nothing
    returning id
)
select id from made
union all
select id from switchboard.queues where endpoint_id = :endpoint_id and name = :name
limit 1;

-- name: grant_queue(endpoint_id, name, queue_id)!
insert into switchboard.endpoint_queues (endpoint_id, name, queue_id) values (:endpoint_id, :name, :queue_id)
on conflict (endpoint_id, name) do nothing;

-- name: granted_queue(endpoint_id, name)^
select queue_id from switchboard.endpoint_queues where endpoint_id = :endpoint_id and name = :name;

-- name: endpoint_by_slug(slug)^
select id, slug, human_id, state from switchboard.endpoints where slug = :slug;

-- name: renew_credential(credential_hash, endpoint_id)!
update switchboard.endpoints set credential_hash = :credential_hash where id = :endpoint_id;

-- name: revoke_endpoint(slug)!
update switchboard.endpoints set state = 'revoked', revoked_at = clock_timestamp()
where slug = :slug and state = 'active';

-- name: endpoints()
select e.id, e.slug, h.name as human, t.slug as team, e.state, e.verbs, e.default_lease_seconds, e.created_at,
    array(select q.name from switchboard.endpoint_queues q where q.endpoint_id = e.id order by q.name) as queues
from switchboard.endpoints e
left join switchboard.humans h on h.id = e.human_id
left join switchboard.teams t on t.id = e.team_id
order by e.slug;

-- name: caller_by_credential(credential_hash)^
-- The endpoint behind a bearer credential with its whole grant, in one look.
select e.id, e.version, e.slug, e.verbs, e.default_lease_seconds,
    coalesce(g.names, '{}') as queue_names, coalesce(g.ids, '{}') as queue_ids, coalesce(g.scopes, '{}') as queue_scopes
from switchboard.endpoints e
left join lateral (
    select array_agg(eq.name order by eq.name) as names,
        array_agg(eq.queue_id order by eq.name) as ids,
        array_agg(case when q.team_id is null then 'endpoint:' || e.slug else 'team:' || t.slug end
            order by eq.name) as scopes
    from switchboard.endpoint_queues eq
    join switchboard.queues q on q.id = eq.queue_id
    left join switchboard.teams t on t.id = q.team_id
    where eq.endpoint_id = e.id
) g on true
where e.credential_hash = :credential_hash and e.state = 'active';
