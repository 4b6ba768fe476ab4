-- What a bulk action would touch: FAILED notifications that match; to retry, those that failed before and wait. Changes nothing.
-- $1 status?: RETRYING are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in upper or lower case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: not itself
-- $9 action: requeue, discard or retry
-- returns eligible, set_hash, sample
with eligible as materialized (                                            -- by the user, by the fingerprint, or all that failed: each has its index
  select notification_id from notifications where $3::text is not null and $9::text <> 'retry' and status = 'FAILED' and user_id = $3
    and ($5::text is null or error_fingerprint = $5) and ($1::text is null or $1 = 'FAILED') and ($2::text is null or type = $2)
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0) and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
  union all
  select notification_id from notifications where $3::text is null and $5::text is not null and $9::text <> 'retry' and status = 'FAILED' and error_fingerprint = $5
    and ($1::text is null or $1 = 'FAILED') and ($2::text is null or type = $2)
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0) and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
  union all
  select notification_id from notifications where $3::text is null and $5::text is null and $9::text <> 'retry' and status = 'FAILED'
    and ($1::text is null or $1 = 'FAILED') and ($2::text is null or type = $2)
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0) and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
  union all
  select notification_id from notifications where $9::text = 'retry' and $5::text is not null and status = 'PENDING' and attempt_count > 0 and error_fingerprint = $5
    and ($1::text is null or $1 in ('RETRYING', 'PENDING')) and ($2::text is null or type = $2) and ($3::text is null or user_id = $3)
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0) and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
  union all
  select notification_id from notifications where $9::text = 'retry' and $5::text is null and status = 'PENDING' and attempt_count > 0
    and ($1::text is null or $1 in ('RETRYING', 'PENDING')) and ($2::text is null or type = $2) and ($3::text is null or user_id = $3)
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0) and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
)
select (select count(*)::int from eligible) as eligible,
  set_hash(array(select notification_id from eligible order by notification_id)) as set_hash,
  array(select notification_id from eligible order by notification_id desc limit 5) as sample
