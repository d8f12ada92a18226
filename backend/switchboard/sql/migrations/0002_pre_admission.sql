-- Admission: the decision, what it counts, and the one place that decides under the policy's lock.
--
-- The zone database is in the server, not here. The caller passes, for each queue, the policy version it knows and the
-- window it computed for it; the locked row and the clock decide whether these still hold, and "stale" sends the caller
-- back to compute anew. Limits are only ever read from the locked row.

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
        where tstzrange(p_known.window_starts_at, p_known.window_ends_at) @> switchboard.clock()
        on conflict (queue_id, window_definition, window_started_at) do update set used = u.used + excluded.used
        where tstzrange(p_known.window_starts_at, p_known.window_ends_at) @> switchboard.clock();
        if not found then  -- the clock left the window while we decided (D12)
            answer := switchboard.stale_row(p_known.queue_id);
            chosen := '{}';
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
