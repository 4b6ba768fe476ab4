-- What an error says without what differs from case to case: ids, numbers and quoted text. Failures with one fingerprint have one cause.
create function fingerprint(error text) returns text language sql immutable strict parallel safe
  return left(regexp_replace(regexp_replace(regexp_replace(error,
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}', '<id>', 'g'),
    '"[^"]*"|''[^'']*''', '<text>', 'g'),
    '[0-9]+', '<n>', 'g'), 200);
grant execute on function fingerprint(text) to :"app";
