-- What a queue identity is called and whose it is, said once: scope is endpoint:<slug> or team:<slug>. `team_id` is the
-- team that has the queue, `owning_team_id` also one that has the endpoint. Who may configure it is switchboard.manages.
create view switchboard.queue_identities as
select q.id, q.name,
    case when q.team_id is null then 'endpoint:' || e.slug else 'team:' || t.slug end as scope,
    q.endpoint_id, e.slug as endpoint, coalesce(e.state, 'active') as endpoint_state, e.human_id,
    q.team_id, t.slug as team, coalesce(q.team_id, e.team_id) as owning_team_id
from switchboard.queues q
left join switchboard.endpoints e on e.id = q.endpoint_id
left join switchboard.teams t on t.id = coalesce(q.team_id, e.team_id);
