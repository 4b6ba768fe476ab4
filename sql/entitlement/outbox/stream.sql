-- The recorded state of the stream.
-- $1 stream
-- returns incarnation, last_seq, resend_before?
select incarnation, last_seq, resend_before from outbox_stream where stream = $1
