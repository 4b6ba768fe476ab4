-- Every change for good (13 months), append only, a partition a month.
create table entitlement_audit (
  at timestamptz not null,
  event_id uuid not null,
  user_id text not null, stock_keeping_unit text not null,
  status text not null check (status in ('ACTIVE', 'REVOKED')),
  version bigint not null,
  previous_at timestamptz,                                                -- when the state before began; null for version 1
  client_id text not null,
  detail jsonb not null,                                                  -- small: reason, purchase, trace
  primary key (user_id, stock_keeping_unit, version, at)
) partition by range (at);
create index entitlement_audit_event on entitlement_audit (event_id);

-- The net: a grant is never refused because a month's partition was not made in time.
create table entitlement_audit_default partition of entitlement_audit default;

-- The months are kept in order while grants go on. Both functions ask for locks that grants wait behind, so they give way soon
-- if somebody reads the audit for long; the janitor comes again.

-- Makes the partitions of the current and the next $1 months, and of every month that has rows in the default one, where retention
-- would never find them.
create function make_audit_partitions(ahead int) returns setof text language plpgsql set lock_timeout = '200ms' as $$
declare first date; part text;
begin
  for first in
    select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => i))::date from generate_series(0, ahead) i
    union select date_trunc('month', at at time zone 'UTC')::date from entitlement_audit_default
    order by 1
  loop
    part := 'entitlement_audit_' || to_char(first, 'YYYYMM');
    continue when to_regclass(part) is not null;
    lock table only entitlement_audit in share row exclusive mode;        -- no grant is on its way to the default partition, none slips in behind the move
    execute format('create table %I (like entitlement_audit including defaults including constraints)', part);
    execute format('with moved as (delete from entitlement_audit_default where at >= %1$L and at < %2$L returning *) insert into %3$I select * from moved',
      first::timestamp at time zone 'UTC', (first + interval '1 month') at time zone 'UTC', part);
    execute format('alter table entitlement_audit attach partition %I for values from (%L) to (%L)',
      part, first::timestamp at time zone 'UTC', (first + interval '1 month') at time zone 'UTC');
    return next part;
  end loop;
end $$;

-- Drops the partitions that lie wholly before the month that began $1 months ago.
create function drop_audit_partitions(keep int) returns setof text language plpgsql set lock_timeout = '200ms' as $$
declare part text;
begin
  if keep < 1 then raise exception 'the audit is kept for at least a month'; end if;
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'entitlement_audit'::regclass and c.relname ~ '^entitlement_audit_\d{6}$'
      and c.relname < 'entitlement_audit_' || to_char((now() at time zone 'UTC') - make_interval(months => keep), 'YYYYMM')
    order by 1
  loop
    execute format('drop table %I', part);
    return next part;
  end loop;
end $$;
revoke execute on function make_audit_partitions, drop_audit_partitions from public;

select make_audit_partitions(3);

grant select, insert on entitlement_audit to :"app";
