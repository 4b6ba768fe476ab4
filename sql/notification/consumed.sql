-- Which of these events were consumed, or stored as a raw dead letter with a valid signature, which an operator may have discarded.
-- $1 event_id
-- returns event_id
select asked.event_id from unnest($1::uuid[]) as asked(event_id)   -- limit 1, not EXISTS: while the statistics are old, that would read the whole table
where (select true from processed_events p where p.event_id = asked.event_id limit 1)
   or (select true from notification_nats_dlq d where d.event_id = asked.event_id and d.untrusted is null limit 1)
   or (select true from discarded_events d where d.event_id = asked.event_id limit 1)
