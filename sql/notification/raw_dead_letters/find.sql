-- One raw dead letter with its bytes.
-- $1 id
-- returns id, stream, stream_seq, subject, headers, data, reason, untrusted?, event_id?, received_at, reprocessed_at?
select id, stream, stream_seq, subject, headers, data, reason, untrusted, event_id, iso(received_at) as received_at, iso(reprocessed_at) as reprocessed_at
from notification_nats_dlq where id = $1::uuid
