-- The items of an operation with what became of them, in the order in which they are worked off.
-- $1 operation_id
-- $2 result?: only these
-- $3 after_position
-- $4 limit
-- returns position, subject, result, note?
select position, subject, result, note from operation_items
where operation_id = $1::uuid and ($2::text is null or result = $2) and position > $3::int
order by position limit $4::int
