-- When the last attempt failed: of a FAILED row, when it became FAILED. created_at says nothing about that. A requeue keeps it.
-- A trigger sets it, so that a process of the version before sets it too, and no FAILED row is without it.
-- In two steps: the column and its triggers at once; then the rows from before, without stopping new ones, and the indexes.
alter table outbox_events add column failed_at timestamptz;

create function note_failure() returns trigger language plpgsql as $$
begin
  new.failed_at := clock_timestamp();
  return new;
end $$;
create trigger outbox_failure_insert before insert on outbox_events for each row
  when (new.failed_at is null and (new.status = 'FAILED' or new.attempt_count > 0 or new.last_error is not null)) execute function note_failure();
create trigger outbox_failure_update before update of status, attempt_count on outbox_events for each row
  when (new.attempt_count > old.attempt_count and new.last_error is not null or new.status = 'FAILED' and new.failed_at is null) execute function note_failure();
