-- Writes wait while these are built: FAILED ones are few, but every row is looked at.
drop index notifications_failed, notifications_failed_fingerprint;
create index notifications_failed on notifications (notification_id) include (type, attempt_count, created_at, error_fingerprint) where status = 'FAILED';
create index notifications_failed_fingerprint on notifications (error_fingerprint, notification_id) include (type, attempt_count, created_at) where status = 'FAILED';
