-- The age of the oldest open notification. One that was never put back is due since it was created, and found by its due time; this index holds the
-- others, so a notification that is sent at the first attempt is never written into it.
-- Writes wait while it is built: these are few, but every row is looked at.
create index notifications_retried on notifications (created_at) where status in ('PENDING', 'PROCESSING') and next_retry_at > created_at;
