-- Stores messages that could not be read. A redelivered message is stored once.
-- $1 stream
-- $2 stream_seq
-- $3 subject
-- $4 headers
-- $5 data: hex with a leading \x
-- $6 event_id?
-- $7 reason
-- $8 untrusted?: what is wrong with its signature; null: it is valid, so its message id can be trusted
-- returns id
insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, event_id, reason, untrusted)
select * from unnest($1::text[], $2::bigint[], $3::text[], $4::jsonb[], $5::text[]::bytea[], $6::uuid[], $7::text[], $8::text[])
on conflict (stream, stream_seq, data_hash) do nothing
returning id
