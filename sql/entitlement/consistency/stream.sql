-- The recorded state of the stream.
-- $1 stream
-- returns stream, incarnation, last_seq, resend_before?, observed_at
select stream, incarnation, last_seq, iso(resend_before) as resend_before, iso(observed_at) as observed_at from outbox_stream where stream = $1
