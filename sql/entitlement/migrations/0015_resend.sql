-- Confirmed events that notification no longer holds, because its database was restored to an earlier state. They stay until they are published again
-- or are found to be held after all. Only the check of confirmed events sets the mark, so both cost nothing while there are none.
alter table outbox_events
  add column missing_at timestamptz,                                      -- when it was found missing
  add constraint outbox_events_missing_check check (missing_at is null or confirmed_at is not null) not valid;
create index outbox_missing on outbox_events (event_id) where missing_at is not null;

-- The check of confirmed events. It asks about the newest ones and passes over all that are kept, newest first, again and again.
alter table reconciliation
  add column checked_at timestamptz,                                      -- the last answer
  add column remembers_seconds float8,                                    -- how long notification keeps the ids of consumed events, as it answered
  add column pass_started_at timestamptz, add column pass_before uuid,    -- the present pass: it continues before this id; null = at the newest
  add column full_pass_started_at timestamptz, add column full_pass_ended_at timestamptz,   -- the last complete pass
  add column missing_since timestamptz;                                   -- since when events are missing without interruption

-- Events younger than this may be judged: notification has not deleted their ids. The hour is for clocks that differ and for events under way.
create function notification_remembers_after() returns timestamptz language sql stable
  return (select now() - make_interval(secs => remembers_seconds) + interval '1 hour' from reconciliation);

-- An operation may also publish events again that were published before.
alter table operations
  drop constraint operations_action_check,
  add constraint operations_action_check check (action in ('requeue', 'discard', 'retry', 'resend'));

-- The events that a resend publishes again: those that were found missing, or all that match. Of these it leaves out events that are so old that
-- notification may have forgotten them and would deliver them twice. The preview and the start of an operation both call it. PostgreSQL inlines it,
-- and each branch walks its index or nothing. low and high: the range of ids of the span of time.
create function outbox_resend_rows(
  only_missing boolean, since timestamptz, until timestamptz, low uuid, high uuid, wanted_user_id text, wanted_ids uuid[])
returns setof uuid language sql stable as $$
  select event_id from outbox_events where only_missing and missing_at is not null
    and (since is null or created_at >= since) and (until is null or created_at < until)
    and (wanted_user_id is null or payload ->> 'user_id' = wanted_user_id) and (wanted_ids is null or event_id = any (wanted_ids))
  union all
  select event_id from outbox_events where not only_missing and event_id = any (wanted_ids) and status = 'PUBLISHED'
    and (missing_at is not null or created_at > (select notification_remembers_after()))
    and (since is null or created_at >= since) and (until is null or created_at < until)
    and (wanted_user_id is null or payload ->> 'user_id' = wanted_user_id)
  union all
  select o.event_id from entitlement_audit a,
    lateral (select * from outbox_events e where e.event_id = a.event_id and e.status = 'PUBLISHED' limit 1) o
  where not only_missing and wanted_ids is null and a.user_id = wanted_user_id
    and (o.missing_at is not null or o.created_at > (select notification_remembers_after()))
    and (since is null or o.created_at >= since) and (until is null or o.created_at < until)
  union all
  select event_id from outbox_events where not only_missing and wanted_ids is null and wanted_user_id is null
    and event_id >= low and event_id < high and status = 'PUBLISHED'
    and (missing_at is not null or created_at > (select notification_remembers_after()))
    and (since is null or created_at >= since) and (until is null or created_at < until)
$$;
grant execute on function notification_remembers_after() to :"app";
grant execute on function outbox_resend_rows(boolean, timestamptz, timestamptz, uuid, uuid, text, uuid[]) to :"app";
