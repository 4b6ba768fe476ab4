-- Every change of an account, written by the statement that makes it. Append only.
create table audit_logs (
  audit_id uuid primary key default uuidv7(),                             -- made under the user's row lock: in the order of the changes
  at timestamptz not null default clock_timestamp(),
  actor text not null check (actor <> ''),                                -- who: a user_id, or the gateway
  action text not null check (action in ('user.create', 'user.refresh', 'user.update', 'user.suspend', 'user.restore', 'user.roles', 'user.sign-out')),
  user_id uuid not null references users,                                 -- whom
  reason text check (reason ~ '\S'),
  detail jsonb not null check (detail ?& array['before', 'after']),       -- of what changed; before is null for a new user, both are for a sign-out
  check ((reason is not null) = (action in ('user.suspend', 'user.restore', 'user.roles', 'user.sign-out')))
);
create index audit_logs_user on audit_logs (user_id, audit_id desc);

grant select, insert on audit_logs to :"app";
