-- What people did to this system's rows, newest first. A bulk action is one row, its start; its items are listed by their operation.
-- Examines at most $8 rows; the last examined row is returned even if it does not match: the next page starts after it.
-- $1 actor?
-- $2 action?
-- $3 operation_id?: the items of this operation
-- $4 since?
-- $5 until?: exclusive
-- $6 before_action_id
-- $7 limit
-- $8 scan
-- returns action_id, at, actor, action, subject, reason, detail, matches, examined
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($4::timestamptz) as low, least($6::uuid, highest_id($5::timestamptz)) as high
), looked as (                                                            -- each branch has an order and a limit: an index range under every plan
  (select * from operator_actions where $3::text is null and detail ->> 'operation_id' is null
     and action_id >= (select low from reach) and action_id < (select high from reach) order by action_id desc limit $8::int)
  union all
  (select * from operator_actions where detail ->> 'operation_id' = $3::text
     and action_id >= (select low from reach) and action_id < (select high from reach) order by action_id desc limit $8::int)
)
select action_id, iso(at) as at, actor, action, subject, reason, detail, matches, examined::int
from (select *, row_number() over (order by action_id desc) as examined,
    ($1::text is null or actor = $1::text) and ($2::text is null or action = $2::text)
    and ($4::timestamptz is null or at >= $4::timestamptz) and ($5::timestamptz is null or at < $5::timestamptz) as matches
  from looked) m
where matches or examined = $8::int
order by m.action_id desc limit $7::int
