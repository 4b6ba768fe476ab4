-- Settles published events of a claim. Returns what really changed; a missing id lost its lease.
-- $1 token
-- $2 event_id
-- $3 stream_seq
-- $4 stream_duplicate
-- returns event_id
update outbox_events set status = 'PUBLISHED', published_at = clock_timestamp(), last_error = null,
  stream_seq = ($3::bigint[])[array_position($2::uuid[], event_id)],
  stream_duplicate = ($4::boolean[])[array_position($2::uuid[], event_id)],
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where event_id = any ($2::uuid[]) and claim_token = $1::uuid
returning event_id
