-- Appends the events of published matches again, with the next generation: the stream lost them, or notification does not have them.
-- ARGV match_ids
-- returns the match_ids that changed
local changed = {}
for _, id in ipairs(ARGV) do
  local match = fields_of('match:' .. id, 'state', 'event')
  local was_published = redis.call('ZREM', key('published'), id) == 1
  if was_published and match[1] == 'PUBLISHED' and match[2] then
    local generation = redis.call('HINCRBY', key('match:' .. id), 'generation', 1)
    local entry = redis.call('XADD', key('events'), '*', 'match_id', id, 'generation', generation, 'event', match[2])
    redis.call('HSET', key('match:' .. id), 'state', 'PAIRED', 'entry', entry)
    redis.call('HDEL', key('match:' .. id), 'published_at', 'stream_seq')
    table.insert(changed, id)
  end
end
return changed
