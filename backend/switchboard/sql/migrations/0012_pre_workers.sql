-- Who was seen working, as claims and heartbeats named it. Written in batches by each server, never by a claim.
create table switchboard.workers (
    endpoint_id bigint not null references switchboard.endpoints (id),
    name text not null,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    primary key (endpoint_id, name)
);
