-- Appends an event to the outbox. $1 event id, $2 type, $3 aggregate, $4 payload, $5 trace id.
insert into outbox_events (event_id, event_type, aggregate_key, payload, trace_id) values ($1, $2, $3, $4, $5)
