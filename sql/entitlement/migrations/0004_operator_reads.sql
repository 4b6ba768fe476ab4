-- What operators look for. FAILED rows are few and rest: these cost the way of an event nothing until it fails.
create index outbox_failed_fingerprint on outbox_events (fingerprint(last_error), event_id) where status = 'FAILED';
create index outbox_failed_user on outbox_events (aggregate_key collate "C") where status = 'FAILED';   -- C: a range of it is a prefix

-- On the audit, which is written once, and not on the outbox, which is written at every step. Both together took the change statement
-- from 73 to 84 us of the server's CPU a grant (batches of 64, on a busy machine, so roughly).
create index entitlement_audit_trace on entitlement_audit ((detail ->> 'trace_id'), event_id);
create index entitlement_audit_purchase on entitlement_audit ((detail ->> 'purchase_id'), event_id);
