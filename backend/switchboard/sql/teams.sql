-- name: add_team(slug)$
insert into switchboard.teams (slug) values (:slug) on conflict (slug) do nothing returning id;

-- name: team_by_slug(slug)^
select id, slug from switchboard.teams where slug = :slug;

-- name: lock_team(team_id)!
-- Changes of one team's members come one after the other, so that the last owner stays one.
select 1 from switchboard.teams where id = :team_id for update;

-- name: member(team_id, human_id)^
select role from switchboard.team_members where team_id = :team_id and human_id = :human_id;

-- name: members(team_id)
select h.name, m.role from switchboard.team_members m join switchboard.humans h on h.id = m.human_id
where m.team_id = :team_id order by h.name;

-- name: set_member(team_id, human_id, role)!
insert into switchboard.team_members (team_id, human_id, role) values (:team_id, :human_id, :role)
on conflict (team_id, human_id) do update set role = excluded.role;

-- name: count_owners(team_id)$
select count(*) from switchboard.team_members where team_id = :team_id and role = 'owner';

-- name: remove_member(team_id, human_id)!
delete from switchboard.team_members where team_id = :team_id and human_id = :human_id;

-- name: add_team_queue(team_id, name)$
-- The id of the team's queue of that name, made if it does not exist.
with made as (
    insert into switchboard.queues (team_id, name) values (:team_id, :name)
    on conflict (team_id, name) where team_id is not null do nothing
    returning id
)
select id from made
union all
select id from switchboard.queues where team_id = :team_id and name = :name
limit 1;

-- name: team_queue(team_id, name)^
select id from switchboard.queues where team_id = :team_id and name = :name;

-- name: endpoint_of_team(slug, team_id)^
-- An active endpoint that may drain the team's queues: the team's own, or a member's.
select e.id from switchboard.endpoints e
where e.slug = :slug and e.state = 'active'
    and (e.team_id = :team_id
         or exists (select 1 from switchboard.team_members m where m.team_id = :team_id and m.human_id = e.human_id));

-- name: withdraw_grants(team_id, human_id)!
-- The removed member's endpoints drain this team's queues no more.
delete from switchboard.endpoint_queues eq
using switchboard.queues q, switchboard.endpoints e
where q.id = eq.queue_id and q.team_id = :team_id and e.id = eq.endpoint_id and e.human_id = :human_id;

-- name: release_leases(team_id, human_id)^
-- What the removed member's endpoints hold in this team's queues is pending again, the attempt given back.
with clock as materialized (select switchboard.clock() as at),
held as (
    select t.queue_id, t.id
    from switchboard.queues q
    join switchboard.todos t on t.queue_id = q.id and t.state = 'claimed'
    join switchboard.endpoints e on e.id = t.claimant_id and e.human_id = :human_id
    where q.team_id = :team_id
    order by t.id for update of t
),
released as (
    update switchboard.todos t
    set state = 'pending', attempt = t.attempt - 1, claimant_id = null, worker = null, fence = null,
        lease_expires_at = null, updated_at = c.at
    from held h cross join clock c
    where t.id = h.id and t.queue_id = h.queue_id and t.state = 'claimed'
    returning t.queue_id, t.id, t.claims, t.updated_at
),
closed as (
    update switchboard.attempts a set ended_at = r.updated_at, outcome = 'released'
    from released r
    where a.todo_id = r.id and a.seq = r.claims and a.queue_id = r.queue_id
)
select count(*) as released from released;
