-- Messages of these events that could not be read, newest first.
-- $1 event_id
-- $2 limit
-- returns id, stream, stream_seq, subject, reason, untrusted?, event_id?, size, received_at, reprocessed_at?
select r.id, r.stream, r.stream_seq, r.subject, r.reason, r.untrusted, r.event_id, length(r.data) as size, iso(r.received_at) as received_at,
  iso(r.reprocessed_at) as reprocessed_at
from unnest($1::uuid[]) as i(event_id), lateral (
  select * from notification_nats_dlq d where d.event_id = i.event_id limit $2::int) r
order by r.id desc limit $2::int
