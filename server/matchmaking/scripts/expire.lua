-- Ends tickets that have expired, and forgets old minutes.
-- ARGV[1] keep, [2] how many at the most
-- returns how many had expired, how many were invalid
local keep = tonumber(ARGV[1])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('expiries'), '-inf', now, 'LIMIT', 0, ARGV[2])) do
  local ticket = eligible(id, keep)
  -- Its own time of expiry is later: that one counts.
  if ticket then redis.call('ZADD', key('expiries'), ticket.expires_at, id) end
end
if redis.call('HLEN', key('minutes')) > 1000 then
  for _, field in ipairs(redis.call('HKEYS', key('minutes'))) do
    local minute = tonumber(string.match(field, '^%d+'))
    if not minute or minute < now / 60000 - 61 then redis.call('HDEL', key('minutes'), field) end
  end
end
return { ended.expired, ended.invalid }
