-- What people did to this system's rows, newest first. A bulk action is one row, its start; its items are listed by their operation.
-- Looks at no more than $8 rows; the last of these is returned even if it does not match, so that the next page goes on after it.
-- $1 actor?
-- $2 action?
-- $3 operation_id?: the items of this operation
-- $4 since?
-- $5 until?: this moment is no longer in it
-- $6 before_action_id
-- $7 limit
-- $8 scan
-- returns action_id, at, actor, action, subject, reason, detail, matches, examined
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $4::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($4::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least($6::uuid, case when $5::timestamptz is not null
      then uuidv7(greatest($5::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), looked as (                                                            -- an order and a limit each: index ranges under every plan
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
