-- The items of an operation with their result and what became of the :many since, in the order of processing. Examines at most $6; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 operation_id
-- $2 result?: only these
-- $3 outcome?: only these; of DONE items
-- $4 after_position
-- $5 limit
-- $6 scan
-- returns position, subject, result, note?, outcome?, error?, matches, examined
select position, subject, result, note, outcome, error, matches, examined::int
from (select *, row_number() over (order by position) as examined, $3::text is null or outcome is not distinct from $3::text as matches
  from (
    select i.position, subject, result, note, outcome, case when outcome in ('FAILED_AGAIN', 'RETRYING') then :error end as error
    from (                                                                -- each branch has its index: one result may be rare among a million
      (select * from operation_items where $2::text is null and $3::text is null and operation_id = $1::uuid and position > $4::int order by position limit $6::int)
      union all
      (select * from operation_items where operation_id = $1::uuid and result = coalesce($2::text, case when $3::text is not null then 'DONE' end) and position > $4::int
       order by position limit $6::int)) i
      left join lateral (select status, :attempts, :due, :error from :table t where t.:id = i.subject limit 1) t on true,
      lateral (select case when result = 'DONE' and (select action from operations where operation_id = $1::uuid) <> 'discard' then :outcome end as outcome) became) looked) m
where matches or examined = $6::int
order by position limit $5::int
