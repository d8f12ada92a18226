-- name: floor_id(keep)$
-- Finished todos below this id are beyond the number that is kept; 0 when there are no more than that.
select coalesce((
    select id from switchboard.todos where state in ('done', 'dead', 'canceled') order by id desc offset :keep limit 1
), 0);

-- name: prune_todos(after_id, batch, age, floor_id)^
-- One stretch of the ids, which rise with the time of creation: no index on a time is needed, none is written by claims.
-- reached: from here on everything is younger than what may go.
with clock as materialized (select switchboard.clock() as at),
walk as materialized (
    select id, queue_id, state, finished_at, created_at from switchboard.todos
    where id > :after_id order by id limit :batch
),
gone as (
    delete from switchboard.todos t
    using walk w, clock c
    where t.id = w.id and t.queue_id = w.queue_id and t.state in ('done', 'dead', 'canceled')
        and (t.finished_at < c.at - :age::interval or t.id <= :floor_id)
    returning t.id, t.queue_id
),
history as (
    delete from switchboard.attempts a using gone g where a.todo_id = g.id and a.queue_id = g.queue_id
)
select coalesce((select max(id) from walk), :after_id) as last_id,
    (select count(*) from gone) as pruned,
    coalesce((select bool_or(w.created_at > c.at - :age::interval and w.id > :floor_id) from walk w, clock c), true)
        as reached;

-- name: prune_usage(age)!
delete from switchboard.usage where window_started_at < switchboard.clock() - :age::interval;
