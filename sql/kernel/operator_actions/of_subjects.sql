-- What people did to these rows, newest first.
-- $1 subject
-- $2 before_action_id
-- $3 limit
-- returns action_id, at, actor, action, subject, reason, detail
select a.action_id, iso(a.at) as at, a.actor, a.action, a.subject, a.reason, a.detail
from unnest($1::text[]) as s(subject), lateral (                          -- limit: an index range a subject under every plan
  select * from operator_actions o where o.subject = s.subject and o.action_id < $2::uuid order by action_id desc limit $3::int) a
order by a.action_id desc limit $3::int
