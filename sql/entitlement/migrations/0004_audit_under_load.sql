-- The audit's months are kept in order while grants go on. Both functions ask for locks that grants wait behind, so they give way soon
-- if somebody reads the audit for long; the janitor comes again.

-- Makes the partitions of the current and the next $1 months, and of every month that has rows in the default one: if nobody made partitions
-- for a while, retention would never find these.
create or replace function make_audit_partitions(ahead int) returns setof text language plpgsql set lock_timeout = '200ms' as $$
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

alter function drop_audit_partitions set lock_timeout = '200ms';
