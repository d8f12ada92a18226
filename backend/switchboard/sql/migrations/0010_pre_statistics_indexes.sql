-- For throughput: an attempt is written when it begins and once more when it ends, at much the same place, so that a
-- summary of 128 pages tells the time, and no claim writes an index entry for it.
create index attempts_claimed_at on switchboard.attempts using brin (claimed_at);
create index attempts_ended_at on switchboard.attempts using brin (ended_at);
