-- The reconciler in one row, for people: what its last walk over the unconfirmed events came to, and when somebody asked for one. Relays
-- may run in other processes than the API that is asked: they find it here.
create table reconciliation (
  id int primary key default 1 check (id = 1),
  asked_at timestamptz,
  started_at timestamptz, finished_at timestamptz,
  worker text,
  outcome text check (outcome in ('done', 'away', 'unanswered', 'failed')),
  note text,                                                              -- why it could not
  looked_at int, confirmed int, resent int,
  check ((outcome is null) = (finished_at is null))
) with (fillfactor = 50);
insert into reconciliation default values;

grant select, update on reconciliation to :"app";
