-- What is wrong with the signature of a raw dead letter; null if nothing is. The message id of an untrusted one says nothing: whoever forged it chose
-- it, so it must not stand for an event that the outbox asks about. Messages from before there were signatures count as trusted.
alter table notification_nats_dlq add column untrusted text
  check (untrusted in ('unsigned', 'malformed', 'unknown_key', 'forged'));

-- What the outbox asks about. A flood of forged messages under one id does not lengthen the look-up.
create index notification_nats_dlq_held on notification_nats_dlq (event_id) where untrusted is null;
