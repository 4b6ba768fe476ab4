-- The match in which each of these requests to join was announced, and when its players were paired. If a match was announced to a player, so it was to
-- the other.
-- $1 join_id
-- $2 keep_seconds: how long an announcement counts for every other match
-- returns join_id, match_id, peer_user_ids, session, announced_at, counts
select a.join_id, a.match_id, to_jsonb(a.peer_user_ids) as peer_user_ids, a.session, iso(a.announced_at) as announced_at, a.counts
from unnest($1::uuid[]) as asked(join_id), lateral (
  select *, announced_at > now() - make_interval(secs => $2::float8) as counts from announced_joins j where j.join_id = asked.join_id limit 1) a
