-- A caller's grant may be remembered by a server process: `version` moves with everything that makes up the grant, and
-- the statements of the claim path check it, so that what was withdrawn is refused by the next call on any server.
alter table switchboard.endpoints add column version bigint not null default 1;

create function switchboard.move_endpoint_version() returns trigger
language plpgsql
as $$
begin
    new.version := old.version + 1;
    return new;
end
$$;
create trigger move_version before update on switchboard.endpoints
for each row execute function switchboard.move_endpoint_version();

create function switchboard.grant_moves_endpoint_version() returns trigger
language plpgsql
as $$
begin
    update switchboard.endpoints set state = state
    where id = any (array[case when tg_op <> 'INSERT' then old.endpoint_id end,
                          case when tg_op <> 'DELETE' then new.endpoint_id end]);
    return null;
end
$$;
create trigger move_endpoint_version after insert or update or delete on switchboard.endpoint_queues
for each row execute function switchboard.grant_moves_endpoint_version();

-- The endpoint's id if it is still as the server knows it. A null version stands for a caller who was let in otherwise.
create function switchboard.standing_caller(p_endpoint_id bigint, p_version bigint) returns bigint
language plpgsql
as $$
begin
    if p_version is not null then
        perform 1 from switchboard.endpoints where id = p_endpoint_id and version = p_version and state = 'active';
        if not found then
            raise exception using errcode = 'SB003', message = 'the endpoint is not as the server knows it';
        end if;
    end if;
    return p_endpoint_id;
end
$$;

-- Several completions of one caller, each with an outcome of its own, and the next claim, in one transaction and one
-- flush. Rows: one of end_claim for each todo, in the order of their ids, then those of claim_next, which is asked only
-- when something was completed. Ids in order, so that two such calls never wait for each other in a ring.
create function switchboard.complete(
    p_endpoint_id bigint, p_queue_ids bigint[], p_todo_ids bigint[], p_results jsonb[], p_fences uuid[], p_next boolean,
    p_next_queue_ids bigint[], p_versions bigint[], p_faults boolean[], p_definitions text[], p_starts timestamptz[],
    p_ends timestamptz[], p_lease interval, p_worker text, p_fence boolean, p_max integer
) returns setof switchboard.claim_row
language plpgsql
set search_path = ''
as $$
declare
    r switchboard.claim_row;
    c record;
    v_completed boolean := false;
begin
    for c in
        select u.todo_id, u.result, u.fence from unnest(p_todo_ids, p_results, p_fences) as u (todo_id, result, fence)
        order by u.todo_id
    loop
        r := switchboard.end_claim(
            c.todo_id, p_endpoint_id, p_queue_ids, 'completed', c.result, null, true, c.fence);
        r.id := c.todo_id;
        v_completed := v_completed or r.outcome = 'changed';
        return next r;
    end loop;
    if p_next and v_completed then
        return query select * from switchboard.claim_next(
            p_endpoint_id, p_next_queue_ids, p_versions, p_faults, p_definitions, p_starts, p_ends, p_lease, p_worker,
            p_fence, p_max);
    end if;
end
$$;
