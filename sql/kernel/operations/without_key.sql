-- The running operations of a kind whose client no longer has a valid API key with the scope to start them.
-- $1 kind
-- returns operation_id, actor
select operation_id, actor from operations o
where status = 'RUNNING' and kind = $1 and actor not like 'user:%' and not exists (
  select from api_keys k where k.client_id = o.actor and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and 'ops:write' = any (k.scopes))
