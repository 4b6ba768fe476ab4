-- A batch that the database refuses time and again is worked off row by row: the good rows are done, and the one that it is about is FAILED,
-- with the database's own words in its note.
alter table operations
  add column failed int not null default 0,
  add column refusals int not null default 0,                             -- of the batch that is next, in a row
  drop constraint operations_check2, drop constraint operations_check3,
  add constraint operations_settled_check check (done + skipped + failed <= total),
  add constraint operations_done_check check (status <> 'DONE' or done + skipped + failed = total);
alter table operation_items
  drop constraint operation_items_result_check, drop constraint operation_items_check,
  add constraint operation_items_result_check check (result in ('PENDING', 'DONE', 'SKIPPED', 'FAILED')),
  add constraint operation_items_note_check check ((result in ('SKIPPED', 'FAILED')) = (note is not null));

-- The janitor deletes finished ones after a while.
grant delete on operations, operation_items to :"app";
