-- Notification holds the notices of both players of these matches. From now on they may be forgotten.
-- ARGV[1] keep, then match_ids
-- returns the match_ids that changed
local changed = {}
for i = 2, #ARGV do
  local id = ARGV[i]
  local state = fields_of('match:' .. id, 'state')[1]
  redis.call('ZREM', key('published'), id)
  if state == 'PUBLISHED' or state == 'PAIRED' then
    redis.call('HSET', key('match:' .. id), 'state', 'ANNOUNCED', 'announced_at', now)
    redis.call('HDEL', key('match:' .. id), 'why')
    close_match(id)
    redis.call('PEXPIRE', key('match:' .. id), ARGV[1])
    table.insert(changed, id)
  end
end
return changed
