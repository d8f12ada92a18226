-- The tables of Switchboard. Tables on the claim path (todos, attempts, policies, usage) lead with queue_id and carry
-- it in every key, so that they can be hash-partitioned or distributed by it.

-- The one clock of claims, leases and windows (D12). Tests replace this function to travel in time.
create function switchboard.clock() returns timestamptz
language sql volatile parallel safe
as 'select clock_timestamp()';

create table switchboard.humans (
    id bigint generated always as identity primary key,
    name text not null unique check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    password_hash text,
    operator boolean not null default false,
    created_at timestamptz not null default clock_timestamp()
);

create table switchboard.browser_sessions (
    token_hash bytea primary key,
    human_id bigint not null references switchboard.humans (id) on delete cascade,
    csrf_token text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null
);
create index browser_sessions_expires_at on switchboard.browser_sessions (expires_at);

create table switchboard.operator_tokens (
    id bigint generated always as identity primary key,
    human_id bigint not null references switchboard.humans (id) on delete cascade,
    label text not null check (length(label) between 1 and 200),
    token_hash bytea not null unique,
    created_at timestamptz not null default clock_timestamp(),
    revoked_at timestamptz
);

create table switchboard.teams (
    id bigint generated always as identity primary key,
    slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    created_at timestamptz not null default clock_timestamp()
);

create table switchboard.team_members (
    team_id bigint not null references switchboard.teams (id) on delete cascade,
    human_id bigint not null references switchboard.humans (id) on delete cascade,
    role text not null check (role in ('member', 'admin', 'owner')),
    primary key (team_id, human_id)
);
create index team_members_human on switchboard.team_members (human_id);

create table switchboard.endpoints (
    id bigint generated always as identity primary key,
    slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    human_id bigint references switchboard.humans (id),
    team_id bigint references switchboard.teams (id),
    credential_hash bytea not null unique,
    verbs text[] not null,
    default_lease_seconds integer not null default 300 check (default_lease_seconds between 60 and 86400),
    state text not null default 'active' check (state in ('active', 'revoked')),
    created_at timestamptz not null default clock_timestamp(),
    revoked_at timestamptz,
    check (num_nonnulls(human_id, team_id) = 1)
);
create index endpoints_human on switchboard.endpoints (human_id);
create index endpoints_team on switchboard.endpoints (team_id);

-- A queue identity: (endpoint, name) or (team, name).
create table switchboard.queues (
    id bigint generated always as identity primary key,
    endpoint_id bigint references switchboard.endpoints (id),
    team_id bigint references switchboard.teams (id),
    name text not null check (length(name) between 1 and 200),
    created_at timestamptz not null default clock_timestamp(),
    check (num_nonnulls(endpoint_id, team_id) = 1)
);
create unique index queues_endpoint_name on switchboard.queues (endpoint_id, name) where endpoint_id is not null;
create unique index queues_team_name on switchboard.queues (team_id, name) where team_id is not null;

-- The queues that an endpoint's grant names. By name unique, since a worker asks by name.
create table switchboard.endpoint_queues (
    endpoint_id bigint not null references switchboard.endpoints (id) on delete cascade,
    name text not null,
    queue_id bigint not null references switchboard.queues (id) on delete cascade,
    primary key (endpoint_id, name)
);
create index endpoint_queues_queue on switchboard.endpoint_queues (queue_id);

-- No foreign keys on the claim path: each would lock the queue's row once a claim. Queues and endpoints are never
-- deleted while they hold todos. fillfactor: a claim and its completion rewrite the row twice within minutes.
create table switchboard.todos (
    queue_id bigint not null,
    id bigint generated always as identity,
    endpoint_id bigint not null,
    kind text not null,
    source text not null,
    title text not null,
    payload jsonb,
    result jsonb,
    tags text[] not null default '{}',
    idempotency_key text,
    assignee_id bigint,
    state text not null check (state in ('scheduled', 'pending', 'claimed', 'done', 'failed', 'dead', 'canceled')),
    claimant_id bigint,
    worker text,
    fence uuid,
    lease_expires_at timestamptz,
    attempt integer not null default 0,
    max_attempts integer not null default 5,
    claims integer not null default 0,
    next_retry_at timestamptz,
    not_before timestamptz,
    error text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    claimed_at timestamptz,
    finished_at timestamptz,
    -- id first: it serves look-ups by id alone and still holds the partition key
    primary key (id, queue_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);

-- Never order by id on the claim path: the primary key would be walked past every finished row.
create index todos_pending on switchboard.todos (queue_id, created_at, id) where state = 'pending';
create index todos_claimed on switchboard.todos (queue_id, lease_expires_at) where state = 'claimed';
create index todos_parked on switchboard.todos (queue_id, next_retry_at) where state = 'failed';
create index todos_scheduled on switchboard.todos (queue_id, not_before) where state = 'scheduled';
create unique index todos_idempotency on switchboard.todos (endpoint_id, idempotency_key)
    where idempotency_key is not null and state in ('scheduled', 'pending', 'claimed', 'failed');

-- One row per committed claim. `seq` counts the claims of a todo and never starts again, unlike todos.attempt.
create table switchboard.attempts (
    queue_id bigint not null,
    todo_id bigint not null,
    seq integer not null,
    claimant_id bigint not null,
    worker text,
    claimed_at timestamptz not null,
    ended_at timestamptz,
    outcome text check (outcome in ('completed', 'failed', 'released', 'lapsed')),
    primary key (todo_id, seq, queue_id)
) with (fillfactor = 80);

create sequence switchboard.policy_versions;

-- The columns are wide on purpose: a row that fails validation must be readable, to fail closed by itself (REQ-9).
create table switchboard.policies (
    queue_id bigint primary key references switchboard.queues (id),
    version bigint not null,
    max_in_flight integer,
    max_claims_per_window integer,
    window_period text,
    window_tz text,
    window_start text,
    window_weekday text,
    created_by_human_id bigint not null references switchboard.humans (id),
    updated_by_human_id bigint not null references switchboard.humans (id),
    created_at timestamptz not null,
    updated_at timestamptz not null
) with (fillfactor = 50);

-- A version names one content of one policy for ever, also across clear and set, and whoever writes the row.
create function switchboard.next_policy_version() returns trigger
language plpgsql
as $$
begin
    new.version := nextval('switchboard.policy_versions');
    return new;
end
$$;
create trigger policies_version before insert or update on switchboard.policies
    for each row execute function switchboard.next_policy_version();

-- Keyed by the window's meaning, not by the policy's row: clear and set find the count again (D14).
create table switchboard.usage (
    queue_id bigint not null,
    window_definition text not null,
    window_started_at timestamptz not null,
    used integer not null check (used >= 0),
    primary key (queue_id, window_definition, window_started_at)
) with (fillfactor = 50);

create table switchboard.policy_audit (
    id bigint generated always as identity primary key,
    queue_id bigint not null references switchboard.queues (id),
    at timestamptz not null,
    action text not null check (action in ('create', 'change', 'delete')),
    human_id bigint not null references switchboard.humans (id),
    endpoint_id bigint references switchboard.endpoints (id),
    before jsonb,
    after jsonb
);
create index policy_audit_queue on switchboard.policy_audit (queue_id, id);
