-- Marks events as consumed by notification.
-- $1 event_id
-- returns event_id
update outbox_events o set confirmed_at = now()
from unnest($1::uuid[]) as r(event_id),
  lateral (select ctid from outbox_events x where x.event_id = r.event_id limit 1) x   -- limit: index lookups under every plan
where o.ctid = x.ctid and o.status = 'PUBLISHED' and num_nulls(o.confirmed_at) = 1   -- not "is null": the plan would scan outbox_unconfirmed for each row
returning o.event_id
