-- The age of the oldest open event. One that was never put back is due since it was created, and found by its due time; this index holds the others, so
-- an event that is published at the first attempt is never written into it.
-- Writes wait while it is built: these are few, but every row is looked at.
create index outbox_retried on outbox_events (created_at) where status in ('PENDING', 'IN_FLIGHT') and next_retry_at > created_at;
