-- What is recorded of the stream.
-- $1 stream
-- returns incarnation, last_seq
select incarnation, last_seq from outbox_stream where stream = $1
