-- Operations: durable bulk work of a human over the todos that a filter named. Only new tables: an older server is not
-- touched, and leaves them alone.

-- Whether a human may configure a queue identity: own endpoint, or a team where the role is admin or owner.
create function switchboard.manages(p_human_id bigint, p_queue_id bigint) returns boolean
language sql stable
set search_path = ''
as $$
    select exists (
        select from switchboard.queues q
        left join switchboard.endpoints e on e.id = q.endpoint_id
        left join switchboard.team_members m
            on m.team_id = coalesce(q.team_id, e.team_id) and m.human_id = p_human_id and m.role in ('admin', 'owner')
        where q.id = p_queue_id and (e.human_id = p_human_id or m.human_id is not null)
    )
$$;

-- The row is the record of who did what to which set, and when; it is kept. kind is not checked here, so that a later
-- release adds one without a migration; a server leaves kinds that it does not know to those that do.
-- filter: as given, in normal form. expected: what the human confirmed; null: the count was capped.
-- The scan walks the ids above scanned_id up to through_id; total is null until it has ended.
create table switchboard.operations (
    id bigint generated always as identity primary key,
    human_id bigint not null references switchboard.humans (id),
    key text not null check (length(key) between 1 and 200),
    kind text not null,
    filter jsonb not null,
    everything boolean not null,
    queue text,
    expected integer,
    state text not null default 'scanning'
        check (state in ('scanning', 'running', 'done', 'canceling', 'canceled', 'failed')),
    scanned_id bigint not null default 0,
    through_id bigint not null,
    total integer,
    changed integer not null default 0,
    skipped integer not null default 0,
    conflict integer not null default 0,
    gone integer not null default 0,
    failures integer not null default 0,
    error text,
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    unique (human_id, key)
);
create index operations_active on switchboard.operations (id) where state in ('scanning', 'running', 'canceling');
create index operations_human on switchboard.operations (human_id, id);

-- The set, frozen at the scan. outcome is null while the item waits. No foreign key to todos: it would burden the claim
-- path.
create table switchboard.operation_items (
    operation_id bigint not null references switchboard.operations (id) on delete cascade,
    todo_id bigint not null,
    queue_id bigint not null,
    outcome text check (outcome in ('changed', 'skipped', 'conflict', 'gone')),
    primary key (operation_id, todo_id)
);
create index operation_items_open on switchboard.operation_items (operation_id, todo_id) where outcome is null;
