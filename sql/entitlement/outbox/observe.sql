-- Records the state of the stream. It lost messages if its incarnation changed or its last sequence is below the one known before. Then all events
-- published until now and not confirmed are to be published again.
-- $1 stream
-- $2 incarnation
-- $3 last_seq
-- $4 known_last_seq: read before the stream's state, so that a parallel publish does not look like a loss
-- returns lost, resend_before?
insert into outbox_stream as s (stream, incarnation, last_seq) values ($1, $2, $3::bigint)
on conflict (stream) do update set
  incarnation = excluded.incarnation,
  last_seq = case when s.incarnation <> excluded.incarnation or excluded.last_seq < $4::bigint then excluded.last_seq else greatest(s.last_seq, excluded.last_seq) end,
  resend_before = case when s.incarnation <> excluded.incarnation or excluded.last_seq < $4::bigint then clock_timestamp() else s.resend_before end,
  observed_at = now()
returning old.stream is not null and new.resend_before is distinct from old.resend_before as lost, new.resend_before
