-- What a notification is about, for the lists of operators: the item, or the mode and the other player of a match. PostgreSQL inlines it.
create function notice_about(payload jsonb) returns text language sql immutable parallel safe as $$
  select coalesce(payload ->> 'stock_keeping_unit', (payload ->> 'mode') || ' against ' || (payload #>> '{peer_user_ids,0}'))
$$;
grant execute on function notice_about(jsonb) to :"app";
