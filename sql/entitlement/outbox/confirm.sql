-- Marks events as consumed by notification.
-- $1 event_id
-- returns event_id
update outbox_events set confirmed_at = now()
where event_id = any ($1::uuid[]) and status = 'PUBLISHED' and confirmed_at is null
returning event_id
