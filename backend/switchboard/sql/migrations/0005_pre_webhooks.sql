-- Webhook intake: who may deliver, where to, and what was delivered. Only new tables: an older server is not touched.

-- verification: what vouches for a delivery. standard and github: a signature under `secret`; token: the secret path.
-- The secret must be readable, since the server computes the same signature; a revoked webhook has forgotten it.
create table switchboard.webhooks (
    id bigint generated always as identity primary key,
    human_id bigint not null references switchboard.humans (id),
    name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    token_hash bytea not null unique,
    verification text not null check (verification in ('standard', 'github', 'token')),
    secret text,
    kind text not null check (length(kind) between 1 and 200),
    title text not null check (length(title) between 1 and 200),
    title_header text,
    state text not null default 'active' check (state in ('active', 'revoked')),
    created_at timestamptz not null,
    revoked_at timestamptz,
    check ((secret is not null) = (verification <> 'token' and state = 'active'))
);
create unique index webhooks_name on switchboard.webhooks (name) where state = 'active';
create index webhooks_human on switchboard.webhooks (human_id);

-- One queue an endpoint, so that a delivery makes one todo per target endpoint. The queue is fixed here, by its owner;
-- nothing in a delivery chooses it.
create table switchboard.webhook_targets (
    webhook_id bigint not null references switchboard.webhooks (id) on delete cascade,
    endpoint_id bigint not null references switchboard.endpoints (id) on delete cascade,
    queue_id bigint not null references switchboard.queues (id) on delete cascade,
    primary key (webhook_id, endpoint_id)
);
create index webhook_targets_endpoint on switchboard.webhook_targets (endpoint_id);
create index webhook_targets_queue on switchboard.webhook_targets (queue_id);

-- The owner of a queue accepts what the webhooks of another human deliver into it.
create table switchboard.webhook_target_grants (
    queue_id bigint not null references switchboard.queues (id) on delete cascade,
    human_id bigint not null references switchboard.humans (id) on delete cascade,
    granted_at timestamptz not null,
    primary key (queue_id, human_id)
);
create index webhook_target_grants_human on switchboard.webhook_target_grants (human_id);

-- Whether a target takes deliveries now: the one rule, for deliveries and for lists.
create view switchboard.webhook_target_states as
select t.webhook_id, t.endpoint_id, t.queue_id,
    case
        when e.state <> 'active' then 'endpoint_revoked'
        when not exists (
            select from switchboard.endpoint_queues g where g.endpoint_id = t.endpoint_id and g.queue_id = t.queue_id
        ) then 'queue_not_granted'
        when e.human_id is distinct from w.human_id and not exists (
            select from switchboard.webhook_target_grants a where a.queue_id = t.queue_id and a.human_id = w.human_id
        ) then 'not_accepted'
        else 'active'
    end as state
from switchboard.webhook_targets t
join switchboard.webhooks w on w.id = t.webhook_id
join switchboard.endpoints e on e.id = t.endpoint_id;

-- One row a delivery; it keeps redeliveries free, whatever became of the todos. body: JSON, or a JSON string for text.
create table switchboard.webhook_events (
    id bigint generated always as identity primary key,
    webhook_id bigint not null references switchboard.webhooks (id),
    delivery_id text not null check (length(delivery_id) between 1 and 200),
    received_at timestamptz not null,
    verification text not null,
    body jsonb not null,
    unique (webhook_id, delivery_id)
);
create index webhook_events_received on switchboard.webhook_events (webhook_id, received_at);

-- Which todos a delivery made. No foreign key to todos: it would burden the claim path.
create table switchboard.webhook_event_todos (
    event_id bigint not null references switchboard.webhook_events (id) on delete cascade,
    queue_id bigint not null,
    todo_id bigint not null,
    primary key (event_id, todo_id)
);
create index webhook_event_todos_todo on switchboard.webhook_event_todos (todo_id);
