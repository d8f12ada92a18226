-- Dead letters by the time they died, newest first; within one instant by id. By queue for the page without a filter, for
-- depths and for bulk work; over all queues for what a filter finds in many of them. Only a todo that dies, or leaves the
-- dead letters again, writes them: claims and completions do not.
create index todos_dead on switchboard.todos (queue_id, finished_at desc, id desc) where state = 'dead';
create index todos_dead_anywhere on switchboard.todos (finished_at desc, id desc) where state = 'dead';

-- What operators did to todos and queues: who, when, to which set, and how much really changed. No payload, result or
-- error is ever in it. A change that was refused leaves no row.
-- target: {"ids": [...]}, {"filter": {...}} in normal form, {"queue_id": 7}, and what else names the set.
-- part_of: bulk work is a row for each of its batches, in the batch's own transaction; the later ones name the first.
create table switchboard.operator_audit (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    human_id bigint not null references switchboard.humans (id),
    action text not null check (action ~ '^[a-z][a-z_]*\.[a-z][a-z_]*$'),
    target jsonb not null,
    queue_id bigint references switchboard.queues (id),
    counts jsonb not null,
    part_of bigint references switchboard.operator_audit (id)
);
create index operator_audit_queue on switchboard.operator_audit (queue_id, id);
