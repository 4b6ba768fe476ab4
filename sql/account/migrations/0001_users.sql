-- People, each known by what an identity provider calls them.
create table users (
  user_id uuid primary key default uuidv7(),
  -- the user's own, after the first sign-in
  display_name text check (char_length(display_name) between 1 and 100 and display_name ~ '\S'),
  locale text check (char_length(locale) between 2 and 100),              -- BCP 47
  -- what the identity provider last said
  email text check (char_length(email) between 1 and 2000), email_verified boolean not null default false,
  picture text check (picture ~ '^https?://' and char_length(picture) <= 2000),
  account_status text not null default 'ACTIVE' check (account_status in ('ACTIVE', 'SUSPENDED')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),              -- grows with every change, also of the roles
  check (email is not null or not email_verified),
  check (updated_at >= created_at)
) with (fillfactor = 80);
create index users_email on users (lower(email), user_id desc) where email is not null;

-- One user for one (provider, subject): the key decides between sign-ins that come at once.
create table identities (
  provider text not null check (char_length(provider) between 1 and 200),
  subject text not null check (char_length(subject) between 1 and 500),
  user_id uuid not null references users,
  created_at timestamptz not null default clock_timestamp(),
  primary key (provider, subject)
);
create index identities_user on identities (user_id);

create table account_roles (
  user_id uuid not null references users,
  role text not null check (role in ('USER', 'VIEWER', 'OPERATOR', 'ADMIN')),
  granted_at timestamptz not null default clock_timestamp(),
  primary key (user_id, role)
);

-- The roles of a user, the least first.
create function roles_of(id uuid) returns text[] language sql stable parallel safe
  return array(select role from account_roles where user_id = id order by array_position(array['USER', 'VIEWER', 'OPERATOR', 'ADMIN'], role));

-- Tokens outlive a suspension for up to two minutes: nobody changes anything in that time. Who is no user, such as the gateway, may.
create function may_act(actor text) returns boolean language sql stable parallel safe
  return not exists (
    select from users where user_id = case when pg_input_is_valid(actor, 'uuid') then actor::uuid end and account_status = 'SUSPENDED');

-- Whether the actor is an active ADMIN now. Locks both rows first, in one order for everybody, so that of two who act on each other one waits
-- and is judged by what the other did. Volatile: what it reads after the locks is newer than the statement that asks.
create function may_administer(actor text, target uuid) returns boolean language plpgsql volatile as $$
declare actor_id uuid := case when pg_input_is_valid(actor, 'uuid') then actor::uuid end;
begin
  perform from users where user_id in (actor_id, target) order by user_id for update;
  return exists (select from users join account_roles using (user_id) where user_id = actor_id and account_status = 'ACTIVE' and role = 'ADMIN');
end $$;

grant select, insert, update on users to :"app";
grant select, insert on identities to :"app";
grant select, insert, delete on account_roles to :"app";
