-- How a claim ends or goes on. Todos are found by id, never by state: a predicate on state would walk the partial
-- indexes and their dead entries.

-- What became of a held claim. outcome: changed | not_found | conflict (state tells what stands instead)
create function switchboard.end_claim(
    p_todo_id bigint, p_endpoint_id bigint, p_queue_ids bigint[], p_outcome text, p_result jsonb, p_error text,
    p_retry boolean, p_fence uuid
) returns switchboard.claim_row
language plpgsql
set search_path = '' set lock_timeout = '5s' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    r switchboard.claim_row;
    t switchboard.todos;
    v_dead boolean;
begin
    select * into t from switchboard.todos where id = p_todo_id for update;
    r.at := switchboard.clock();
    if not found or t.queue_id <> all (p_queue_ids) then
        r.outcome := 'not_found';
        return r;
    end if;
    r.queue_id := t.queue_id;
    -- A fence, once asked for, must be presented; one of an earlier claim never fits a later one, fenced or not.
    if t.state <> 'claimed' or t.claimant_id <> p_endpoint_id or t.fence is distinct from p_fence then
        r.outcome := 'conflict';
        r.state := t.state;
        return r;
    end if;
    update switchboard.attempts set ended_at = r.at, outcome = p_outcome
    where todo_id = t.id and seq = t.claims and queue_id = t.queue_id;
    v_dead := p_outcome = 'failed' and (not p_retry or t.attempt >= t.max_attempts);
    update switchboard.todos
    set state = case p_outcome
            when 'completed' then 'done'
            when 'released' then 'pending'
            else case when v_dead then 'dead' else 'failed' end
        end,
        -- a release gives the attempt back: the work was not tried
        attempt = case when p_outcome = 'released' then t.attempt - 1 else t.attempt end,
        result = case when p_outcome = 'completed' then p_result else t.result end,
        error = case when p_outcome = 'failed' then p_error else t.error end,
        -- the same rule in Python is switchboard.core.retry.backoff
        next_retry_at = case when p_outcome = 'failed' and not v_dead
            then r.at + least(interval '30 s' * power(2, least(t.attempt - 1, 20)), interval '900 s') end,
        finished_at = case when p_outcome = 'completed' or v_dead then r.at end,
        claimant_id = case when p_outcome = 'released' then null else t.claimant_id end,
        worker = case when p_outcome = 'released' then null else t.worker end,
        lease_expires_at = null,
        fence = null,
        updated_at = r.at
    where id = t.id and queue_id = t.queue_id
    returning * into t;
    r := switchboard.with_todo(r, t);
    r.outcome := 'changed';
    return r;
end
$$;

-- A heartbeat: the lease runs p_lease from now. A lapsed holder may renew until it is reaped or taken over.
create function switchboard.extend_claim(
    p_todo_id bigint, p_endpoint_id bigint, p_queue_ids bigint[], p_lease interval, p_fence uuid
) returns switchboard.claim_row
language plpgsql
set search_path = '' set lock_timeout = '5s' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    r switchboard.claim_row;
    t switchboard.todos;
begin
    select * into t from switchboard.todos where id = p_todo_id for update;
    r.at := switchboard.clock();
    if not found or t.queue_id <> all (p_queue_ids) then
        r.outcome := 'not_found';
        return r;
    end if;
    r.queue_id := t.queue_id;
    -- A fence, once asked for, must be presented; one of an earlier claim never fits a later one, fenced or not.
    if t.state <> 'claimed' or t.claimant_id <> p_endpoint_id or t.fence is distinct from p_fence then
        r.outcome := 'conflict';
        r.state := t.state;
        return r;
    end if;
    update switchboard.todos set lease_expires_at = r.at + p_lease, updated_at = r.at
    where id = t.id and queue_id = t.queue_id
    returning * into t;
    r := switchboard.with_todo(r, t);
    r.outcome := 'changed';
    return r;
end
$$;
