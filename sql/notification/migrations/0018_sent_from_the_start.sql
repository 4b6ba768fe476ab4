-- A notification may be SENT by the statement that stores it, with one attempt. That attempt did not fail.
create or replace trigger notifications_failure_insert before insert on notifications for each row
  when (new.failed_at is null and new.status <> 'SENT' and (new.status = 'FAILED' or new.attempt_count > 0 or new.last_error is not null))
  execute function note_failure();
