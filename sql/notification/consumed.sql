-- Which of these events were consumed, or stored as a raw dead letter with a valid signature, which an operator may have discarded.
-- $1 event_id
-- returns event_id
select asked.event_id from unnest($1::uuid[]) as asked(event_id)
where exists (select from processed_events p where p.event_id = asked.event_id)
   or exists (select from notification_nats_dlq d where d.event_id = asked.event_id and d.untrusted is null)
   or exists (select from discarded_events d where d.event_id = asked.event_id)
