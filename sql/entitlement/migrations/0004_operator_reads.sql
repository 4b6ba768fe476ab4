-- What operators look for. FAILED rows are few and rest, and the audit is written once: these cost the way of an event little.
create index outbox_failed_fingerprint on outbox_events (fingerprint(last_error), event_id) where status = 'FAILED';
create index outbox_failed_user on outbox_events (aggregate_key collate "C") where status = 'FAILED';   -- C: a range of it is a prefix
create index entitlement_audit_trace on entitlement_audit ((detail ->> 'trace_id'), event_id);
create index entitlement_audit_purchase on entitlement_audit ((detail ->> 'purchase_id'), event_id);
