-- Settles a notification that was sent. $1 notification id, $2 worker.
update notifications set status = 'SENT', sent_at = clock_timestamp(), lease_until = null where notification_id = $1 and locked_by = $2
