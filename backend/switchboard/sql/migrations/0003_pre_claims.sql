-- The claim path: one function call, one transaction, one round trip a claim.
--
-- These functions are called in autocommit under READ COMMITTED: every statement inside has a snapshot of its own, so
-- that what is counted after a lock wait includes what the lock was waited for (D13).
--
-- Their settings: generic plans, since planning anew at each call costs three times the claim (measured: 405 against
-- 124 microseconds); no sequential or bitmap scans, so that a plan made while a table was small stays an index walk.

-- The todo's columns into an answer.
create function switchboard.with_todo(r switchboard.claim_row, t switchboard.todos) returns switchboard.claim_row
language plpgsql immutable
as $$
begin
    r.id := t.id;
    r.kind := t.kind;
    r.source := t.source;
    r.title := t.title;
    r.payload := t.payload;
    r.result := t.result;
    r.tags := t.tags;
    r.idempotency_key := t.idempotency_key;
    r.state := t.state;
    r.worker := t.worker;
    r.fence := t.fence;
    r.lease_expires_at := t.lease_expires_at;
    r.attempt := t.attempt;
    r.max_attempts := t.max_attempts;
    r.next_retry_at := t.next_retry_at;
    r.not_before := t.not_before;
    r.error := t.error;
    r.created_at := t.created_at;
    r.updated_at := t.updated_at;
    r.claimed_at := t.claimed_at;
    r.finished_at := t.finished_at;
    return r;
end
$$;

-- Claims locked candidates in the order given: closes lapsed attempts, claims, opens attempts. Admission is decided.
create function switchboard.take(
    p_queue_id bigint, p_ids bigint[], p_takeover boolean, p_endpoint_id bigint, p_worker text, p_fence boolean,
    p_lease interval, p_at timestamptz, p_admission switchboard.claim_row
) returns setof switchboard.claim_row
language plpgsql
as $$
declare
    r switchboard.claim_row := p_admission;
    t switchboard.todos;
    v_id bigint;
begin
    r.outcome := 'claimed';
    r.at := p_at;
    r.queue_id := p_queue_id;
    foreach v_id in array p_ids loop
        update switchboard.todos
        set state = 'claimed', claimant_id = p_endpoint_id, worker = p_worker, lease_expires_at = p_at + p_lease,
            fence = case when p_fence then gen_random_uuid() end, attempt = attempt + 1, claims = claims + 1,
            next_retry_at = null, claimed_at = p_at, updated_at = p_at
        where id = v_id and queue_id = p_queue_id
        returning * into t;
        if p_takeover then
            update switchboard.attempts set ended_at = p_at, outcome = 'lapsed'
            where todo_id = t.id and seq = t.claims - 1 and queue_id = t.queue_id and ended_at is null;
        end if;
        insert into switchboard.attempts (queue_id, todo_id, seq, claimant_id, worker, claimed_at)
        values (t.queue_id, t.id, t.claims, p_endpoint_id, p_worker, p_at);
        r := switchboard.with_todo(r, t);
        return next r;
    end loop;
end
$$;

-- Locks up to p_max claimable todos of each kind in one queue and gives up to 3 * p_max of them, oldest first.
-- takeovers[i]: candidate i is a lapsed claim. p_fresh false: lapsed claims only (D16).
create function switchboard.lock_candidates(
    p_queue_id bigint, p_endpoint_id bigint, p_at timestamptz, p_fresh boolean, p_lapsed boolean, p_due boolean,
    p_max integer, out ids bigint[], out takeovers boolean[]
)
language plpgsql
as $$
declare
    v_times timestamptz[] := '{}';
begin
    ids := '{}';
    takeovers := '{}';
    if p_max = 1 and p_fresh and not p_lapsed and not p_due then  -- the common case by far
        select array[t.id], '{f}' into ids, takeovers from switchboard.todos t
        where t.queue_id = p_queue_id and t.state = 'pending'
          and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
        order by t.created_at, t.id limit 1 for update skip locked;
        ids := coalesce(ids, '{}');
        return;
    end if;
    if p_fresh then
        select coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.created_at), '{}') into ids, v_times
        from (
            select t.id, t.created_at from switchboard.todos t
            where t.queue_id = p_queue_id and t.state = 'pending'
              and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit p_max for update skip locked
        ) c;
        takeovers := array_fill(false, array[cardinality(ids)]);
    end if;
    if not (p_lapsed or p_due and p_fresh) then
        return;
    end if;
    with lapsed as (
        select t.id, t.created_at from switchboard.todos t
        where p_lapsed and t.queue_id = p_queue_id and t.state = 'claimed' and t.lease_expires_at <= p_at
          and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
        order by t.created_at, t.id limit p_max for update skip locked
    ),
    due as (
        select t.id, t.created_at from switchboard.todos t
        where p_due and p_fresh and t.queue_id = p_queue_id and t.state = 'failed' and t.next_retry_at <= p_at
          and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
        order by t.created_at, t.id limit p_max for update skip locked
    )
    select coalesce(array_agg(c.id order by c.created_at, c.id), '{}'),
           coalesce(array_agg(c.takeover order by c.created_at, c.id), '{}')
    into ids, takeovers
    from (
        select f.id, f.created_at, false as takeover from unnest(ids, v_times) as f (id, created_at)
        union all select l.id, l.created_at, true from lapsed l
        union all select d.id, d.created_at, false from due d
    ) c;
end
$$;

-- Oldest claimable first over the granted queues that admit, FIFO by (created_at, id). A batch comes from one queue, so
-- that a transaction never holds two policy locks.
create function switchboard.claim_next(
    p_endpoint_id bigint, p_queue_ids bigint[], p_versions bigint[], p_faults boolean[], p_definitions text[],
    p_starts timestamptz[], p_ends timestamptz[], p_lease interval, p_worker text, p_fence boolean, p_max integer
) returns setof switchboard.claim_row
language plpgsql
set search_path = '' set lock_timeout = '2s' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    v_at timestamptz := switchboard.clock();
    v_stale boolean := false;
    v_claimed boolean := false;
    v_in_flight integer;
    v_used integer;
    v_candidates record;
    v_admission record;
    v_answer switchboard.claim_row;
    v_reason text;
    head record;
begin
    perform switchboard.assert_read_committed();
    for head in
        select q.queue_id, q.n,
               coalesce(p.version, 0) <> p_versions[q.n]
                   or coalesce(v_at < p_starts[q.n] or v_at >= p_ends[q.n], false) as stale,
               p.max_in_flight, p.max_claims_per_window, lapsed.created_at as lapsed_at, due.created_at as due_at
        from unnest(p_queue_ids) with ordinality as q (queue_id, n)
        left join switchboard.policies p on p.queue_id = q.queue_id
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = q.queue_id and t.state = 'pending'
              and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) pending on true
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = q.queue_id and t.state = 'claimed' and t.lease_expires_at <= v_at
              and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) lapsed on true
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = q.queue_id and t.state = 'failed' and t.next_retry_at <= v_at
              and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) due on true
        where pending.id is not null or lapsed.id is not null or due.id is not null
        order by stale desc,
                 least((pending.created_at, pending.id), (lapsed.created_at, lapsed.id), (due.created_at, due.id))
    loop
        if head.stale then
            return next switchboard.stale_row(head.queue_id);
            v_stale := true;
            continue;
        end if;
        exit when v_stale;

        if p_versions[head.n] = 0 then
            select * into v_candidates from switchboard.lock_candidates(
                head.queue_id, p_endpoint_id, v_at, true, head.lapsed_at is not null, head.due_at is not null, p_max);
            if v_candidates.ids <> '{}' then
                return query select * from switchboard.take(
                    head.queue_id, v_candidates.ids[1:p_max], head.lapsed_at is not null, p_endpoint_id, p_worker,
                    p_fence, p_lease, switchboard.clock(), null);
                return;
            end if;
            continue;
        end if;

        begin  -- a savepoint: a refusal gives back the todo's lock and the policy's before the next queue
            -- An unlocked look leaves out what is plainly exhausted, so that nobody waits for its lock.
            v_in_flight := null;
            v_used := null;
            if p_faults[head.n] then
                v_reason := 'admission_unavailable';
            else
                v_in_flight := switchboard.in_flight(head.queue_id);
                if head.max_claims_per_window is not null then
                    v_used := switchboard.window_used(head.queue_id, p_definitions[head.n], p_starts[head.n]);
                end if;
                v_reason := switchboard.admission_refusal(
                    head.max_in_flight, head.max_claims_per_window, v_in_flight, v_used);
            end if;

            if v_reason is not null and not (v_reason = 'in_flight_full' and head.lapsed_at is not null) then
                return next switchboard.refused_row(
                    head.queue_id, v_reason, v_in_flight, v_used, p_ends[head.n], null);
            else
                select * into v_candidates from switchboard.lock_candidates(
                    head.queue_id, p_endpoint_id, v_at, v_reason is null,
                    head.lapsed_at is not null, head.due_at is not null, p_max);
                if v_candidates.ids <> '{}' then
                    select * into v_admission
                    from switchboard.admit(
                        row(head.queue_id, p_versions[head.n], p_faults[head.n], p_definitions[head.n],
                            p_starts[head.n], p_ends[head.n])::switchboard.known_policy,
                        v_candidates.ids, v_candidates.takeovers, p_max);
                    v_answer := v_admission.answer;
                    if v_answer.outcome <> 'admitted' then
                        raise exception using errcode = 'SB001';
                    end if;
                    return query select * from switchboard.take(
                        head.queue_id, v_admission.chosen, head.lapsed_at is not null, p_endpoint_id, p_worker,
                        p_fence, p_lease, v_answer.at, v_answer);
                    v_claimed := true;
                end if;
            end if;
        exception
            when sqlstate 'SB001' then
                return next v_answer;
                v_stale := v_answer.outcome = 'stale';
            when query_canceled or assert_failure then
                raise;
            when others then  -- fail closed, for this queue alone (D18)
                return next switchboard.refused_row(
                    head.queue_id, 'admission_unavailable', null, null, null, sqlstate || ' ' || sqlerrm);
        end;
        exit when v_claimed or v_stale;
    end loop;
end
$$;

-- One named todo. Order of answers: not_found, forbidden, conflict, deferred (as 'refused').
create function switchboard.claim_todo(
    p_todo_id bigint, p_endpoint_id bigint, p_queue_ids bigint[], p_versions bigint[], p_faults boolean[],
    p_definitions text[], p_starts timestamptz[], p_ends timestamptz[], p_lease interval, p_worker text, p_fence boolean
) returns setof switchboard.claim_row
language plpgsql
set search_path = '' set lock_timeout = '2s' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    v_at timestamptz;
    v_known switchboard.known_policy;
    v_version bigint;
    v_admission record;
    v_answer switchboard.claim_row;
    t switchboard.todos;
begin
    perform switchboard.assert_read_committed();
    select * into t from switchboard.todos where id = p_todo_id for update;
    v_at := switchboard.clock();
    v_answer.at := v_at;
    if not found then
        v_answer.outcome := 'not_found';
        return next v_answer;
        return;
    end if;
    v_answer.queue_id := t.queue_id;
    select u.* into v_known
    from unnest(p_queue_ids, p_versions, p_faults, p_definitions, p_starts, p_ends) as u (queue_id)
    where u.queue_id = t.queue_id;
    if not found then
        v_answer.outcome := 'forbidden';
        return next v_answer;
        return;
    end if;
    if not coalesce(
        (t.assignee_id is null or t.assignee_id = p_endpoint_id)
        and (t.state = 'pending'
             or t.state = 'claimed' and t.lease_expires_at <= v_at and t.attempt < t.max_attempts
             or t.state = 'failed' and t.next_retry_at <= v_at and t.attempt < t.max_attempts),
        false)
    then
        v_answer.outcome := 'conflict';
        v_answer.state := t.state;
        return next v_answer;
        return;
    end if;

    select p.version into v_version from switchboard.policies p where p.queue_id = t.queue_id;
    if coalesce(v_version, 0) <> v_known.version then
        return next switchboard.stale_row(t.queue_id);
        return;
    end if;
    if v_known.version = 0 then
        return query select * from switchboard.take(
            t.queue_id, array[t.id], t.state = 'claimed', p_endpoint_id, p_worker, p_fence, p_lease, v_at, null);
        return;
    end if;
    if v_known.fault then
        return next switchboard.refused_row(t.queue_id, 'admission_unavailable', null, null, null, null);
        return;
    end if;
    begin
        select * into v_admission from switchboard.admit(v_known, array[t.id], array[t.state = 'claimed'], 1);
        v_answer := v_admission.answer;
        if v_answer.outcome <> 'admitted' then
            raise exception using errcode = 'SB001';
        end if;
        return query select * from switchboard.take(
            t.queue_id, v_admission.chosen, t.state = 'claimed', p_endpoint_id, p_worker, p_fence, p_lease,
            v_answer.at, v_answer);
    exception
        when sqlstate 'SB001' then
            return next v_answer;
        when query_canceled or assert_failure then
            raise;
        when others then
            return next switchboard.refused_row(
                t.queue_id, 'admission_unavailable', null, null, null, sqlstate || ' ' || sqlerrm);
    end;
end
$$;
