-- name: add_human(name, password_hash, operator)$
insert into switchboard.humans (name, password_hash, operator) values (:name, :password_hash, :operator)
on conflict (name) do nothing
returning id;

-- name: human_by_name(name)^
select id, name, password_hash, operator from switchboard.humans where name = :name;

-- name: set_password(password_hash, human_id)!
update switchboard.humans set password_hash = :password_hash where id = :human_id;

-- name: humans()
select id, name, operator, created_at from switchboard.humans order by name;

-- name: open_session(token_hash, human_id, csrf_token, lifetime)!
insert into switchboard.browser_sessions (token_hash, human_id, csrf_token, expires_at)
values (:token_hash, :human_id, :csrf_token, clock_timestamp() + :lifetime::interval);

-- name: human_by_session(token_hash)^
select h.id, h.name, h.operator, s.csrf_token
from switchboard.browser_sessions s join switchboard.humans h on h.id = s.human_id
where s.token_hash = :token_hash and s.expires_at > clock_timestamp();

-- name: close_session(token_hash)!
delete from switchboard.browser_sessions where token_hash = :token_hash;

-- name: delete_expired_sessions()!
delete from switchboard.browser_sessions where expires_at <= clock_timestamp();

-- name: add_operator_token(human_id, label, token_hash)!
insert into switchboard.operator_tokens (human_id, label, token_hash) values (:human_id, :label, :token_hash);

-- name: revoke_operator_tokens(human_id, label)!
update switchboard.operator_tokens set revoked_at = clock_timestamp()
where human_id = :human_id and label = :label and revoked_at is null;

-- name: human_by_operator_token(token_hash)^
select h.id, h.name, h.operator
from switchboard.operator_tokens t join switchboard.humans h on h.id = t.human_id
where t.token_hash = :token_hash and t.revoked_at is null;
