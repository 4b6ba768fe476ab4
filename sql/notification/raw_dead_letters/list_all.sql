-- Raw dead letters, also reprocessed ones, newest first.
-- $1 before_id
-- $2 limit
-- returns id, stream, stream_seq, subject, reason, untrusted?, event_id?, size, received_at, reprocessed_at?
select id, stream, stream_seq, subject, reason, untrusted, event_id, length(data) as size, iso(received_at) as received_at, iso(reprocessed_at) as reprocessed_at
from notification_nats_dlq where id < $1::uuid
order by id desc limit $2::int
