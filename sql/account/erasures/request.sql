-- Requests the erasure of a user: chooses the pseudonym and suspends the user, audited in the same statement (operator_actions by a trigger). If an erasure of the user is under way, it
-- gives that one. Returns nothing if the actor is no active ADMIN, or if another statement has just requested the same: run it again.
-- $1 user_id
-- $2 actor
-- $3 reason
-- $4 by_owner: by a command with the owner's access, which no role allows or forbids
-- returns pseudonym, requested
with judged as materialized (
  select case when $4::boolean then $2 else 'user:' || $2 end as name,       -- as the other systems name people
    $4::boolean or may_administer($2, case when pg_input_is_valid($1, 'uuid') then $1::uuid end) as allowed
), target as materialized (
  select * from users where user_id = case when pg_input_is_valid($1, 'uuid') then $1::uuid end and (select allowed from judged) for update
), addresses as materialized (                                            -- also those of before
  select coalesce(array_agg(distinct address), '{}') as emails from (
    select email as address from target
    union select unnest(array[detail #>> '{before,email}', detail #>> '{after,email}']) from audit_logs where user_id = (select user_id from target)) a
  where address is not null and are_addresses(array[address])
), asked as (
  insert into erasures (pseudonym, user_id, emails, requested_by, reason)
  select 'erased-' || gen_random_uuid(), $1, emails, name, $3 from addresses, judged where allowed
  on conflict (user_id) where user_id is not null do nothing
  returning pseudonym, user_id
), suspended as (
  update users set account_status = 'SUSPENDED', updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
  where user_id = (select target.user_id from target, asked) and account_status = 'ACTIVE'
), audited as (
  insert into audit_logs (actor, action, user_id, reason, detail)
  select $2, 'user.erase', target.user_id, $3, jsonb_build_object('before', null, 'after', null) from target, asked
)
select pseudonym, true as requested from asked
union all select pseudonym, false from erasures, judged where user_id = $1 and allowed
