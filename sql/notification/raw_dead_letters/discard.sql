-- An operator deletes a raw dead letter that was not reprocessed. The audit, written in the same statement, keeps its columns: the first 4,096
-- of its bytes, which is enough for any event and small enough for the list of actions, and the hash of all. Its event counts as held from then on.
-- $1 id
-- $2 actor
-- $3 reason
-- returns id
with gone as (
  delete from notification_nats_dlq where id = $1::uuid and reprocessed_at is null
  returning id, event_id, untrusted, jsonb_build_object('stream', stream, 'stream_seq', stream_seq, 'subject', subject, 'reason', reason, 'untrusted', untrusted, 'event_id', event_id,
    'received_at', iso(received_at), 'size', length(data), 'sha256', encode(data_hash, 'hex'),
    'payload', jsonb_build_object('headers', headers, 'data', encode(substring(data from 1 for 4096), 'hex'))) as was
), kept as (
  insert into discarded_events (event_id) select event_id from gone where event_id is not null and untrusted is null
  on conflict (event_id) do update set discarded_at = excluded.discarded_at
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail) select $2, 'raw_dead_letter.discard', id::text, $3, was from gone
)
select id from gone
