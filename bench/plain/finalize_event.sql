-- Settles an event that the stream has stored. $1 event id, $2 worker.
update outbox_events set status = 'PUBLISHED', published_at = now(), lease_until = null where event_id = $1 and locked_by = $2
