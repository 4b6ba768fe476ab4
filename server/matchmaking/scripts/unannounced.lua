-- A page of published matches that are not known to be announced, oldest first.
-- ARGV[1] how many to pass over, [2] how many at the most
-- returns for each: match_id, milliseconds since it was published, generation, event
local page = {}
local found = redis.call('ZRANGE', key('published'), ARGV[1], ARGV[1] + ARGV[2] - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  local match = fields_of('match:' .. found[i], 'generation', 'event')
  if match[2] then
    table.insert(page, { found[i], now - found[i + 1], match[1], match[2] })
  else
    redis.call('ZREM', key('published'), found[i])
  end
end
return page
