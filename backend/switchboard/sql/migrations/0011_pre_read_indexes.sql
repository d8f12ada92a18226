-- For the operators' filters, at the least cost for claims: a claim or completion of an untagged todo writes none of the
-- first two, and the third takes an entry for 128 pages.
create index todos_tags on switchboard.todos using gin (tags) where tags <> '{}';
create index todos_ended_badly on switchboard.todos (state, id) where state in ('failed', 'dead', 'canceled');
create index todos_created_at on switchboard.todos using brin (created_at);
