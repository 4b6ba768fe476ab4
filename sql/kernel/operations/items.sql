-- The items of an operation with their results, in the order of processing.
-- $1 operation_id
-- $2 result?: only these
-- $3 after_position
-- $4 limit
-- returns position, subject, result, note?
select position, subject, result, note from (                            -- each branch has its index: one result may be rare among a million
  (select * from operation_items where $2::text is null and operation_id = $1::uuid and position > $3::int order by position limit $4::int)
  union all
  (select * from operation_items where $2::text is not null and operation_id = $1::uuid and result = $2::text and position > $3::int
   order by position limit $4::int)) i
order by position limit $4::int
