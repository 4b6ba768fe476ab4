-- What operators do to many rows at once. The set is frozen when the operation starts, and worked off in batches: whatever happens to the
-- worker, an item is settled in the same statement as its row, so it is done once. Every row that changes has its operator_actions row too.
create table operations (
  operation_id uuid primary key default uuidv7(),
  kind text not null,                                                     -- what the rows are: outbox, notifications
  action text not null check (action in ('requeue', 'discard')),
  filter jsonb not null, set_hash text not null,                          -- what was asked for, and the set it was
  reason text not null, actor text not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'DONE', 'CANCELLED')),
  total int not null, done int not null default 0, skipped int not null default 0,
  created_at timestamptz not null default clock_timestamp(), finished_at timestamptz, cancelled_by text,
  turn_at timestamptz not null default clock_timestamp(),                 -- the last batch: operations take turns, a small one does not wait for a large one
  check ((status = 'RUNNING') = (finished_at is null)),
  check ((status = 'CANCELLED') = (cancelled_by is not null)),
  check (done + skipped <= total),
  check (status <> 'DONE' or done + skipped = total)
);
create index operations_running on operations (kind, action, turn_at) where status = 'RUNNING';

-- The rows of an operation, oldest first. What is PENDING in a cancelled operation was not touched by it.
create table operation_items (
  operation_id uuid not null references operations on delete cascade,
  position int not null,
  subject uuid not null,
  result text not null default 'PENDING' check (result in ('PENDING', 'DONE', 'SKIPPED')),
  note text,                                                              -- why it was skipped
  primary key (operation_id, position),
  check ((result = 'SKIPPED') = (note is not null))
);
create index operation_items_result on operation_items (operation_id, result, position);

-- Names a set of rows: another set, however small the difference, has another name. The ids come sorted.
create function set_hash(ids uuid[]) returns text language sql immutable strict parallel safe
  return encode(sha256(convert_to(array_to_string(ids, ','), 'UTF8')), 'hex');

grant select, insert, update on operations to :"app";
grant select, insert, update on operation_items to :"app";
grant execute on function set_hash(uuid[]) to :"app";
