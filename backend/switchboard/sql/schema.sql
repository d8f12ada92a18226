-- name: lock_migrations()!
-- One migrator at a time, in the migrating transaction, also through a transaction pooler.
select pg_advisory_xact_lock(hashtextextended('switchboard.migrations', 0));

-- name: create_migrations()#
create schema if not exists switchboard;
create table if not exists switchboard.schema_migrations (
    number integer primary key,
    name text not null,
    phase text not null check (phase in ('pre', 'post')),
    applied_at timestamptz not null default clock_timestamp()
);

-- name: applied_migrations()
select number, name, phase from switchboard.schema_migrations order by number;

-- name: record_migration(number, name, phase)!
insert into switchboard.schema_migrations (number, name, phase) values (:number, :name, :phase);

-- name: database_identity()^
-- What tells one database from another, also after a restart (D29).
select system_identifier::text as system_identifier, current_database()::text as database
from pg_control_system();
