-- name: add(human_id, action, target, queue_id, counts, part_of)$
-- The id of the new row.
insert into switchboard.operator_audit (at, human_id, action, target, queue_id, counts, part_of)
values (switchboard.clock(), :human_id, :action, :target, :queue_id, :counts, :part_of)
returning id;

-- name: visible(human_id, operator, queue_ids, before_id, limit)
-- What one did, and what others did to the queues one sees; everything for an instance operator. Newest first.
select a.id, a.at, h.name as human, a.action, a.target, a.queue_id, a.counts, a.part_of
from switchboard.operator_audit a
join switchboard.humans h on h.id = a.human_id
where (:operator::boolean or a.human_id = :human_id or a.queue_id = any (:queue_ids::bigint[]))
    and (:before_id::bigint is null or a.id < :before_id)
order by a.id desc
limit :limit;
