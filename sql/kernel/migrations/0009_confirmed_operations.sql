-- A bulk operation goes on only while whoever started it may do so. For a person the gateway confirms that every few seconds, because only account
-- knows: without a confirmation the operation waits. One whose person was suspended or lost the role, or whose API key ended, is STOPPED.
alter table operations
  add column confirmed_until timestamptz not null default now(),          -- of a person's operation
  add column stop_reason text,
  drop constraint operations_status_check,
  add constraint operations_status_check check (status in ('RUNNING', 'DONE', 'CANCELLED', 'STOPPED')),
  add constraint operations_stopped_check check ((status = 'STOPPED') = (stop_reason is not null));
