-- Schedules: todos made by the clock. Only new tables: an older server is not touched.

-- name: unique within the queue, so that it tells nothing about the queues of others. fault: why the sweep has set the
-- schedule aside; an edit clears it. version: one up with each change by a human, for edits made from what was seen.
create table switchboard.schedules (
    id bigint generated always as identity primary key,
    queue_id bigint not null references switchboard.queues (id) on delete cascade,
    name text not null check (length(name) between 1 and 200),
    kind text not null check (length(kind) between 1 and 200),
    title text not null check (length(title) between 1 and 200),
    source text not null check (length(source) between 1 and 200),
    payload jsonb not null default 'null',
    tags text[] not null default '{}' check (cardinality(tags) <= 20),
    max_attempts integer not null default 5 check (max_attempts between 1 and 100),
    cron text not null check (length(cron) between 1 and 200),
    tz text not null,
    missed text not null default 'skip' check (missed in ('skip', 'fire_once')),
    paused boolean not null default false,
    fault text,
    next_fire_at timestamptz not null,
    last_fired_at timestamptz,
    version bigint not null default 1,
    created_by_human_id bigint not null references switchboard.humans (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (queue_id, name)
);
create index schedules_due on switchboard.schedules (next_fire_at) where not paused and fault is null;
create index schedules_human on switchboard.schedules (created_by_human_id);

-- Which todo a scheduled instant made: at most one. No foreign key to todos: it would burden the claim path.
create table switchboard.schedule_fires (
    schedule_id bigint not null references switchboard.schedules (id) on delete cascade,
    scheduled_at timestamptz not null,
    queue_id bigint not null,
    todo_id bigint not null,
    primary key (schedule_id, scheduled_at)
);
