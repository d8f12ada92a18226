-- The claim path: one function call, one transaction, one round trip a claim.
--
-- The zone database is in the server, not here. The caller passes, for each queue, the policy version it knows and the
-- window it computed for it; the locked row and the clock decide whether these still hold, and "stale" sends the caller
-- back to compute anew. Limits are only ever read from the locked row.
--
-- These functions are called in autocommit under READ COMMITTED: every statement inside has a snapshot of its own, so
-- that what is counted after a lock wait includes what the lock was waited for (D13).

-- What a claim answers, a row each.
-- outcome: claimed | refused (reason) | stale (policy columns; version 0: no policy) | not_found | forbidden | conflict
create type switchboard.claim_row as (
    outcome text,
    at timestamptz,
    queue_id bigint,
    reason text,
    fault text,
    version bigint,
    max_in_flight integer,
    max_claims_per_window integer,
    window_period text,
    window_tz text,
    window_start text,
    window_weekday text,
    in_flight integer,
    used integer,
    held_back integer,
    window_ends_at timestamptz,
    live_lease_expires_at timestamptz,
    id bigint,
    kind text,
    source text,
    title text,
    payload jsonb,
    result jsonb,
    tags text[],
    idempotency_key text,
    state text,
    worker text,
    fence uuid,
    lease_expires_at timestamptz,
    attempt integer,
    max_attempts integer,
    next_retry_at timestamptz,
    not_before timestamptz,
    error text,
    created_at timestamptz,
    updated_at timestamptz,
    claimed_at timestamptz,
    finished_at timestamptz
);

-- What a caller knows of one granted queue. version 0: no policy. fault: this version cannot be evaluated.
create type switchboard.known_policy as (
    queue_id bigint,
    version bigint,
    fault boolean,
    window_definition text,
    window_starts_at timestamptz,
    window_ends_at timestamptz
);

create function switchboard.assert_read_committed() returns void
language plpgsql
as $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using
            errcode = 'SB002',
            message = 'claims need READ COMMITTED, this transaction is '
                || upper(current_setting('transaction_isolation'));
    end if;
end
$$;

-- The decision (D10). in_flight leaves out the candidate when it takes over its own lapsed lease.
-- The same rule in Python is switchboard.core.admission.refusal; a property test holds them equal.
create function switchboard.admission_refusal(
    max_in_flight integer, max_claims_per_window integer, in_flight integer, used integer
) returns text
language sql immutable parallel safe
as $$
    select case
        when max_in_flight = 0 or max_claims_per_window = 0 then 'paused'
        when used >= max_claims_per_window then 'window_exhausted'
        when in_flight >= max_in_flight then 'in_flight_full'
    end
$$;

-- In flight, used and the earliest live lease: the one definition of each, for enforcement, headers and status (D15).
-- PL/pgSQL, since its plans are kept for the session. STABLE: they see the snapshot of the calling statement.
create function switchboard.in_flight(p_queue_id bigint) returns integer
language plpgsql stable
as $$
begin
    return (select count(*)::integer from switchboard.todos where queue_id = p_queue_id and state = 'claimed');
end
$$;

create function switchboard.window_used(p_queue_id bigint, p_definition text, p_starts_at timestamptz) returns integer
language plpgsql stable
as $$
begin
    return coalesce((
        select used from switchboard.usage
        where queue_id = p_queue_id and window_definition = p_definition and window_started_at = p_starts_at
    ), 0);
end
$$;

create function switchboard.live_lease_expires_at(p_queue_id bigint, p_at timestamptz) returns timestamptz
language plpgsql stable
as $$
begin
    return (
        select lease_expires_at from switchboard.todos
        where queue_id = p_queue_id and state = 'claimed' and lease_expires_at > p_at
        order by lease_expires_at limit 1
    );
end
$$;

-- A row that tells the caller what the policy is now.
create function switchboard.stale_row(p_queue_id bigint) returns switchboard.claim_row
language plpgsql
as $$
declare
    r switchboard.claim_row;
begin
    r.outcome := 'stale';
    r.at := switchboard.clock();
    r.queue_id := p_queue_id;
    r.version := 0;
    select p.version, p.max_in_flight, p.max_claims_per_window,
           p.window_period, p.window_tz, p.window_start, p.window_weekday
    into r.version, r.max_in_flight, r.max_claims_per_window,
         r.window_period, r.window_tz, r.window_start, r.window_weekday
    from switchboard.policies p where p.queue_id = p_queue_id;
    r.version := coalesce(r.version, 0);
    return r;
end
$$;

create function switchboard.refused_row(
    p_queue_id bigint, p_reason text, p_in_flight integer, p_used integer, p_window_ends_at timestamptz, p_fault text
) returns switchboard.claim_row
language plpgsql
as $$
declare
    r switchboard.claim_row;
begin
    r.outcome := 'refused';
    r.at := switchboard.clock();
    r.queue_id := p_queue_id;
    r.reason := p_reason;
    r.fault := p_fault;
    r.in_flight := p_in_flight;
    r.used := p_used;
    r.window_ends_at := p_window_ends_at;
    if p_reason = 'in_flight_full' then
        r.live_lease_expires_at := switchboard.live_lease_expires_at(p_queue_id, r.at);
    end if;
    return r;
end
$$;

-- Claims locked candidates: closes lapsed attempts, claims, opens attempts. Admission is already decided.
create function switchboard.take(
    p_queue_id bigint, p_ids bigint[], p_endpoint_id bigint, p_worker text, p_fence boolean, p_lease interval,
    p_at timestamptz, p_admission switchboard.claim_row
) returns setof switchboard.claim_row
language plpgsql
as $$
declare
    r switchboard.claim_row := p_admission;
begin
    update switchboard.attempts a
    set ended_at = p_at, outcome = 'lapsed'
    from switchboard.todos t
    where t.id = any (p_ids) and t.queue_id = p_queue_id and t.state = 'claimed'
      and a.todo_id = t.id and a.seq = t.claims and a.queue_id = t.queue_id;

    r.outcome := 'claimed';
    r.at := p_at;
    r.queue_id := p_queue_id;
    for r.id, r.kind, r.source, r.title, r.payload, r.result, r.tags, r.idempotency_key, r.state, r.worker, r.fence,
        r.lease_expires_at, r.attempt, r.max_attempts, r.next_retry_at, r.not_before, r.error,
        r.created_at, r.updated_at, r.claimed_at, r.finished_at
    in
        with claimed as (
            update switchboard.todos t
            set state = 'claimed', claimant_id = p_endpoint_id, worker = p_worker, lease_expires_at = p_at + p_lease,
                fence = case when p_fence then gen_random_uuid() end, attempt = t.attempt + 1, claims = t.claims + 1,
                next_retry_at = null, claimed_at = p_at, updated_at = p_at
            where t.id = any (p_ids) and t.queue_id = p_queue_id
            returning t.*
        ),
        opened as (
            insert into switchboard.attempts (queue_id, todo_id, seq, claimant_id, worker, claimed_at)
            select c.queue_id, c.id, c.claims, p_endpoint_id, p_worker, p_at from claimed c
        )
        select c.id, c.kind, c.source, c.title, c.payload, c.result, c.tags, c.idempotency_key, c.state, c.worker,
            c.fence, c.lease_expires_at, c.attempt, c.max_attempts, c.next_retry_at, c.not_before, c.error,
            c.created_at, c.updated_at, c.claimed_at, c.finished_at
        from claimed c
    loop
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
        return;  -- the common case: nothing to merge
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

-- Locks one queue's policy, decides over locked candidates in order, and charges for those it admits. The caller holds
-- the candidates' locks and a savepoint. answer.outcome: admitted (chosen is not empty) | refused | stale.
create function switchboard.admit(
    p_known switchboard.known_policy, p_ids bigint[], p_takeovers boolean[], p_max integer,
    out answer switchboard.claim_row, out chosen bigint[]
)
language plpgsql
as $$
declare
    p switchboard.policies;
    v_at timestamptz;
    v_in_flight integer;
    v_used integer;
    v_refusal text;
    v_first_refusal text;
begin
    chosen := '{}';
    select * into p from switchboard.policies where queue_id = p_known.queue_id for update;
    if not found or p.version <> p_known.version then
        answer := switchboard.stale_row(p_known.queue_id);
        return;
    end if;
    v_at := switchboard.clock();
    if p.max_claims_per_window is not null then
        if v_at < p_known.window_starts_at or v_at >= p_known.window_ends_at then
            answer := switchboard.stale_row(p_known.queue_id);
            return;
        end if;
        v_used := switchboard.window_used(p.queue_id, p_known.window_definition, p_known.window_starts_at);
    end if;
    v_in_flight := switchboard.in_flight(p.queue_id);

    for i in 1 .. cardinality(p_ids) loop
        exit when cardinality(chosen) = p_max;
        v_refusal := switchboard.admission_refusal(
            p.max_in_flight, p.max_claims_per_window, v_in_flight - p_takeovers[i]::integer, v_used);
        if v_refusal is null then
            chosen := chosen || p_ids[i];
            v_in_flight := v_in_flight + 1 - p_takeovers[i]::integer;
            v_used := v_used + 1;
        else
            v_first_refusal := coalesce(v_first_refusal, v_refusal);
            exit when v_refusal <> 'in_flight_full';  -- a later candidate may take over its own lapsed claim
        end if;
    end loop;
    if chosen = '{}' then
        answer := switchboard.refused_row(
            p.queue_id, v_first_refusal, v_in_flight, v_used, p_known.window_ends_at, null);
        return;
    end if;

    if p.max_claims_per_window is not null then
        insert into switchboard.usage as u (queue_id, window_definition, window_started_at, used)
        select p.queue_id, p_known.window_definition, p_known.window_starts_at, cardinality(chosen)
        where switchboard.clock() < p_known.window_ends_at
        on conflict (queue_id, window_definition, window_started_at)
        do update set used = u.used + excluded.used where switchboard.clock() < p_known.window_ends_at;
        if not found then  -- the window ended while we decided (D12)
            answer := switchboard.stale_row(p_known.queue_id);
            return;
        end if;
        answer.window_ends_at := p_known.window_ends_at;
    end if;
    answer.outcome := 'admitted';
    answer.at := v_at;
    answer.queue_id := p.queue_id;
    answer.version := p.version;
    answer.max_in_flight := p.max_in_flight;
    answer.max_claims_per_window := p.max_claims_per_window;
    answer.in_flight := v_in_flight;
    answer.used := v_used;
    answer.held_back := least(cardinality(p_ids), p_max) - cardinality(chosen);
end
$$;

-- Oldest claimable first over the granted queues that admit, FIFO by (created_at, id). A batch comes from one queue, so
-- that a transaction never holds two policy locks.
create function switchboard.claim_next(
    p_endpoint_id bigint, p_queue_ids bigint[], p_versions bigint[], p_faults boolean[], p_definitions text[],
    p_starts timestamptz[], p_ends timestamptz[], p_lease interval, p_worker text, p_fence boolean, p_max integer
) returns setof switchboard.claim_row
language plpgsql
set search_path = '' set lock_timeout = '2s' set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    v_at timestamptz := switchboard.clock();
    v_stale boolean := false;
    v_claimed boolean := false;
    v_look record;
    v_candidates record;
    v_admission record;
    v_answer switchboard.claim_row;
    v_reason text;
    head record;
begin
    perform switchboard.assert_read_committed();
    for head in
        select g.known, (g.known).queue_id as queue_id,
               coalesce(p.version, 0) <> (g.known).version
                   or coalesce(v_at < (g.known).window_starts_at or v_at >= (g.known).window_ends_at, false) as stale,
               p.max_in_flight, p.max_claims_per_window,
               pending.created_at as pending_at, lapsed.created_at as lapsed_at, due.created_at as due_at
        from (
            select row(u.*)::switchboard.known_policy as known
            from unnest(p_queue_ids, p_versions, p_faults, p_definitions, p_starts, p_ends) as u
        ) g
        left join switchboard.policies p on p.queue_id = (g.known).queue_id
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = (g.known).queue_id and t.state = 'pending'
              and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) pending on true
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = (g.known).queue_id and t.state = 'claimed' and t.lease_expires_at <= v_at
              and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) lapsed on true
        left join lateral (
            select t.created_at, t.id from switchboard.todos t
            where t.queue_id = (g.known).queue_id and t.state = 'failed' and t.next_retry_at <= v_at
              and t.attempt < t.max_attempts and (t.assignee_id is null or t.assignee_id = p_endpoint_id)
            order by t.created_at, t.id limit 1
        ) due on true
        where pending.id is not null or lapsed.id is not null or due.id is not null
        order by stale desc,
                 least(pending.created_at, lapsed.created_at, due.created_at),
                 least(pending.id, lapsed.id, due.id)
    loop
        if head.stale then
            return next switchboard.stale_row(head.queue_id);
            v_stale := true;
            continue;
        end if;
        exit when v_stale;

        if (head.known).version = 0 then
            select * into v_candidates from switchboard.lock_candidates(
                head.queue_id, p_endpoint_id, v_at, true, head.lapsed_at is not null, head.due_at is not null, p_max);
            if v_candidates.ids <> '{}' then
                return query select * from switchboard.take(
                    head.queue_id, v_candidates.ids[1:p_max], p_endpoint_id, p_worker, p_fence, p_lease,
                    switchboard.clock(), null);
                return;
            end if;
            continue;
        end if;

        -- An unlocked look leaves out what is plainly exhausted, so that nobody waits for its lock.
        if (head.known).fault then
            v_reason := 'admission_unavailable';
        else
            select switchboard.in_flight(head.queue_id) as in_flight,
                   case when head.max_claims_per_window is not null then switchboard.window_used(
                       head.queue_id, (head.known).window_definition, (head.known).window_starts_at) end as used
            into v_look;
            v_reason := switchboard.admission_refusal(
                head.max_in_flight, head.max_claims_per_window, v_look.in_flight, v_look.used);
        end if;
        if v_reason is not null and not (v_reason = 'in_flight_full' and head.lapsed_at is not null) then
            return next switchboard.refused_row(
                head.queue_id, v_reason, v_look.in_flight, v_look.used, (head.known).window_ends_at, null);
            continue;
        end if;

        begin  -- a savepoint: a refusal gives back the todo's lock and the policy's before the next queue
            select * into v_candidates from switchboard.lock_candidates(
                head.queue_id, p_endpoint_id, v_at, v_reason is null,
                head.lapsed_at is not null, head.due_at is not null, p_max);
            if v_candidates.ids <> '{}' then
                select * into v_admission
                from switchboard.admit(head.known, v_candidates.ids, v_candidates.takeovers, p_max);
                v_answer := v_admission.answer;
                if v_answer.outcome <> 'admitted' then
                    raise exception using errcode = 'SB001';
                end if;
                return query select * from switchboard.take(
                    head.queue_id, v_admission.chosen, p_endpoint_id, p_worker, p_fence, p_lease,
                    v_answer.at, v_answer);
                v_claimed := true;
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
set search_path = '' set lock_timeout = '2s' set enable_seqscan = off set enable_bitmapscan = off
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
            t.queue_id, array[t.id], p_endpoint_id, p_worker, p_fence, p_lease, v_at, null);
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
            t.queue_id, v_admission.chosen, p_endpoint_id, p_worker, p_fence, p_lease, v_answer.at, v_answer);
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
