-- Raw dead letters not yet reprocessed, newest first.
-- $1 before_id
-- $2 limit
-- returns id, stream, stream_seq, subject, reason, untrusted?, event_id?, size, received_at
select id, stream, stream_seq, subject, reason, untrusted, event_id, length(data) as size, iso(received_at) as received_at
from notification_nats_dlq where reprocessed_at is null and id < $1::uuid
order by id desc limit $2::int
