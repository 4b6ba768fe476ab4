-- The roles whose work operators have paused: a row while a role is paused. operator_actions has who paused and resumed it.
create table paused_roles (
  role text primary key check (role ~ '^[a-z]+:[a-z]+$'),
  paused_at timestamptz not null default clock_timestamp(),
  paused_by text not null,
  reason text not null check (char_length(reason) between 1 and 200)
);
grant select, insert, delete on paused_roles to :"app";
