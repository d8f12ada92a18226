-- name: add_webhook(human_id, name, token_hash, verification, secret, kind, title, title_header)$
-- Nothing when an active webhook has the name.
insert into switchboard.webhooks (
    human_id, name, token_hash, verification, secret, kind, title, title_header, created_at)
select :human_id, :name, :token_hash, :verification, :secret, :kind, :title, :title_header, switchboard.clock()
on conflict (name) where state = 'active' do nothing
returning id;

-- name: target_queue(slug, name, human_id)^
-- A queue of an active endpoint's own, granted to it, if this human owns the endpoint or its owner accepts their
-- webhooks. A team's queue is none: it has no single owner who could answer for it.
select e.id as endpoint_id, q.id as queue_id
from switchboard.endpoints e
join switchboard.endpoint_queues g on g.endpoint_id = e.id and g.name = :name
join switchboard.queues q on q.id = g.queue_id and q.endpoint_id = e.id
where e.slug = :slug and e.state = 'active'
    and (e.human_id = :human_id
         or exists (select from switchboard.webhook_target_grants a where a.queue_id = q.id and a.human_id = :human_id));

-- name: add_target(webhook_id, endpoint_id, queue_id)!
insert into switchboard.webhook_targets (webhook_id, endpoint_id, queue_id) values (:webhook_id, :endpoint_id, :queue_id);

-- name: set_secret(secret, name)$
update switchboard.webhooks set secret = :secret
where name = :name and state = 'active' and verification <> 'token'
returning id;

-- name: verification_of(name)$
select verification from switchboard.webhooks where name = :name and state = 'active';

-- name: revoke_webhook(name)$
update switchboard.webhooks set state = 'revoked', revoked_at = switchboard.clock(), secret = null
where name = :name and state = 'active'
returning id;

-- name: webhooks()
select w.id, w.name, h.name as human, w.verification, w.kind, w.title, w.title_header, w.state, w.created_at,
    (select max(e.received_at) from switchboard.webhook_events e where e.webhook_id = w.id) as last_event_at
from switchboard.webhooks w join switchboard.humans h on h.id = w.human_id
order by w.name, w.id;

-- name: targets()
select s.webhook_id, e.slug as endpoint, q.name as queue, s.state
from switchboard.webhook_target_states s
join switchboard.endpoints e on e.id = s.endpoint_id
join switchboard.queues q on q.id = s.queue_id
order by s.webhook_id, e.slug;

-- name: own_queue(slug, name, human_id)$
select q.id
from switchboard.endpoints e join switchboard.queues q on q.endpoint_id = e.id
where e.slug = :slug and q.name = :name and e.human_id = :human_id;

-- name: accept_webhooks(queue_id, human_id)!
insert into switchboard.webhook_target_grants (queue_id, human_id, granted_at)
values (:queue_id, :human_id, switchboard.clock())
on conflict (queue_id, human_id) do nothing;

-- name: stop_accepting_webhooks(queue_id, human_id)$
delete from switchboard.webhook_target_grants where queue_id = :queue_id and human_id = :human_id returning queue_id;

-- name: webhook_by_token(token_hash)^
select id, name, verification, secret, title, title_header from switchboard.webhooks
where token_hash = :token_hash and state = 'active';

-- name: bound_lock_wait()!
-- A delivery waits for a racing one of the same id, but not for ever.
set local lock_timeout = '5s';

-- name: storable(body)$
-- jsonb bounds the digits and the scale of a number more narrowly than JSON does.
select pg_input_is_valid(:body::text, 'jsonb');

-- name: record_delivery(webhook_id, delivery_id, body, idempotency_key, title)^
-- The event and a todo for each target that takes it, all in one statement: all or nothing. Gives no row when the
-- event stands already (a racing delivery is waited for), or when the webhook is active no more. A live todo under the
-- key stands for a delivery whose event was forgotten.
with clock as materialized (select switchboard.clock() as at),
event as (
    insert into switchboard.webhook_events (webhook_id, delivery_id, received_at, verification, body)
    select w.id, :delivery_id, c.at, w.verification, :body::jsonb
    from switchboard.webhooks w cross join clock c
    where w.id = :webhook_id and w.state = 'active'
    on conflict (webhook_id, delivery_id) do nothing
    returning id, webhook_id, received_at, body
),
made as (
    insert into switchboard.todos (
        queue_id, endpoint_id, kind, source, title, payload, idempotency_key, state, created_at, updated_at)
    select s.queue_id, s.endpoint_id, w.kind, w.name, :title, v.body, :idempotency_key, 'pending',
        v.received_at, v.received_at
    from event v
    join switchboard.webhooks w on w.id = v.webhook_id
    join switchboard.webhook_target_states s on s.webhook_id = v.webhook_id
    where s.state = 'active'
    order by s.queue_id
    on conflict (endpoint_id, idempotency_key)
        where idempotency_key is not null and state in ('scheduled', 'pending', 'claimed', 'failed')
        do nothing
    returning queue_id, id
),
linked as (
    insert into switchboard.webhook_event_todos (event_id, queue_id, todo_id)
    select v.id, m.queue_id, m.id from event v cross join made m
)
select v.id as event_id, (select count(*) from made) as todos,
    (select count(*) from switchboard.webhook_target_states s where s.webhook_id = v.webhook_id and s.state <> 'active')
        as skipped
from event v;

-- name: recorded_event(webhook_id, delivery_id)$
select id from switchboard.webhook_events where webhook_id = :webhook_id and delivery_id = :delivery_id;

-- name: forget_events(age, batch)$
-- Events of that age, except those whose todos live yet: their redeliveries must stay free.
with clock as materialized (select switchboard.clock() as at),
old as (
    select o.id
    from clock c
    cross join switchboard.webhooks w
    cross join lateral (
        select e.id from switchboard.webhook_events e
        where e.webhook_id = w.id and e.received_at < c.at - :age::interval
            and not exists (
                select from switchboard.webhook_event_todos l
                join switchboard.todos t on t.id = l.todo_id and t.queue_id = l.queue_id
                where l.event_id = e.id and t.state in ('scheduled', 'pending', 'claimed', 'failed'))
        order by e.received_at limit :batch for update of e skip locked
    ) o
    limit :batch
),
forgotten as (
    delete from switchboard.webhook_events e using old o where e.id = o.id returning e.id
)
select count(*) from forgotten;
