-- Writes wait while these are built: FAILED ones are few, but every row is looked at.
drop index outbox_failed, outbox_failed_fingerprint;
create index outbox_failed on outbox_events (event_id) include (event_type, attempt_count, created_at, error_fingerprint) where status = 'FAILED';
create index outbox_failed_fingerprint on outbox_events (error_fingerprint, event_id) include (event_type, attempt_count, created_at) where status = 'FAILED';
