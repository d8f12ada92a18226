-- name: manageable_queue(queue_id, human_id)^
-- The queue identity if this human may configure it, as for policies.
select q.id, q.name, q.scope, q.endpoint_state
from switchboard.queue_identities q
where q.id = :queue_id and switchboard.manages(:human_id, q.id);

-- name: before_the_pause(queue_id)^
-- The newest change of the policy that brought max_in_flight down to 0; before is null where it made the policy.
select a.before
from switchboard.policy_audit a
where a.queue_id = :queue_id and a.after -> 'max_in_flight' = '0'::jsonb
    and (a.before is null or a.before -> 'max_in_flight' is distinct from '0'::jsonb)
order by a.id desc
limit 1;

-- name: clock()$
select switchboard.clock();

-- name: cancel_waiting(queue_id, created_until, batch)$
-- Up to a batch of each of what waits: pending, parked and scheduled. How many; what another transaction holds at this
-- moment, such as a claim, is passed by.
with pending as materialized (
    select t.id from switchboard.todos t
    where t.queue_id = :queue_id and t.state = 'pending' and t.created_at <= :created_until
    order by t.created_at, t.id limit :batch for update skip locked
),
parked as materialized (
    select t.id from switchboard.todos t
    where t.queue_id = :queue_id and t.state = 'failed' and t.created_at <= :created_until
    order by t.next_retry_at limit :batch for update skip locked
),
scheduled as materialized (
    select t.id from switchboard.todos t
    where t.queue_id = :queue_id and t.state = 'scheduled' and t.created_at <= :created_until
    order by t.not_before limit :batch for update skip locked
),
canceled as (
    update switchboard.todos t
    set state = 'canceled', next_retry_at = null, finished_at = c.at, updated_at = c.at
    from (select id from pending union all select id from parked union all select id from scheduled) w,
        (select switchboard.clock() as at offset 0) c
    where t.id = w.id and t.queue_id = :queue_id
    returning t.id
)
select count(*) from canceled;
