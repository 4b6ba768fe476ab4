-- Marks events as consumed by notification.
-- $1 event_id
-- returns event_id
update outbox_events o set confirmed_at = now()
from unnest($1::uuid[]) as r(event_id),
  lateral (select ctid from outbox_events x where x.event_id = r.event_id limit 1) x   -- otherwise the plan scans all of outbox_unconfirmed
where o.ctid = x.ctid and o.status = 'PUBLISHED' and o.confirmed_at is null
returning o.event_id
