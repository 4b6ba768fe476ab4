-- Settles events that the stream has stored: they leave the group, and their matches wait for the announcement.
-- ARGV for each: the id of the entry, match_id, generation, the sequence in the stream
-- returns the match_ids that changed; a match that was requeued meanwhile is not one of them
local changed = {}
for i = 1, #ARGV, 4 do
  local entry, id, generation, seq = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  redis.call('XACK', key('events'), 'relay', entry)
  redis.call('XDEL', key('events'), entry)
  local match = fields_of('match:' .. id, 'state', 'generation')
  if match[1] == 'PAIRED' and match[2] == generation then
    redis.call('HSET', key('match:' .. id), 'state', 'PUBLISHED', 'published_at', now, 'stream_seq', seq)
    redis.call('HDEL', key('match:' .. id), 'why')
    redis.call('ZADD', key('published'), now, id)
    table.insert(changed, id)
  end
end
return changed
