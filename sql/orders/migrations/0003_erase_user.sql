-- One step of an erasure. Clients of orders are machines, and an order is the client's own. Only operators are people here: who acted, and what they wrote.
-- Returns whether there is more to do now.
create function erase_user(wanted text, batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from erasures where pseudonym = wanted and state = 'WORKING' for update;
  if not found then return false; end if;
  if scrub_tables(wanted, array['paused_roles', 'operations', 'operator_actions', 'idempo_ledger_history'], batch, wanted) then return true; end if;
  perform end_erasure(wanted);
  return false;
end $$;
revoke execute on function erase_user from public;
grant execute on function erase_user to :"app";

-- Whether data of a user came after the end of an erasure. Here nothing is made for users.
create function has_user(wanted text) returns boolean language sql stable return false;
grant execute on function has_user to :"app";
