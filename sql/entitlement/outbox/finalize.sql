-- Settles the published events of a claim. Returns the rows that changed; a missing id lost its lease.
-- $1 token
-- $2 event_id
-- $3 stream_seq
-- $4 stream_duplicate
-- returns event_id
update outbox_events o set status = 'PUBLISHED', published_at = clock_timestamp(), last_error = null,
  stream_seq = r.stream_seq, stream_duplicate = r.stream_duplicate,
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
from unnest($2::uuid[], $3::bigint[], $4::boolean[]) as r(event_id, stream_seq, stream_duplicate),
  lateral (select ctid from outbox_events x where x.event_id = r.event_id limit 1) x   -- limit: index lookups under every plan
where o.ctid = x.ctid and o.claim_token = $1::uuid
returning o.event_id
