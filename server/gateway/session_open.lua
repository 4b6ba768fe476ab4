-- Opens a session, writes it into the index of its user's sessions, and ends the oldest ones if there are too many. By the clock of Redis.
-- The index lives as long as the longest session in it. It names sessions that have ended; they leave it here.
-- KEYS[1] the session, KEYS[2] the index of the user's sessions
-- ARGV[1] data, ARGV[2] idle milliseconds, ARGV[3] milliseconds to its end, ARGV[4] how many sessions the user may have
-- returns when it ends, in milliseconds since 1970
local time = redis.call('TIME')
local ends_at = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[3])
local opened_at = string.format('%.0f', time[1] * 1000000 + time[2])       -- microseconds
redis.call('HSET', KEYS[1], 'data', ARGV[1], 'ends_at', ends_at, 'opened_at', opened_at)
redis.call('PEXPIRE', KEYS[1], math.min(tonumber(ARGV[2]), tonumber(ARGV[3])))

local others = {}
for _, session in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local known = redis.call('HMGET', session, 'data', 'opened_at')
  -- One that an older version opened has no such time: it is older.
  if known[1] then others[#others + 1] = { session, tonumber(known[2] or 0) } else redis.call('ZREM', KEYS[2], session) end
end
table.sort(others, function(a, b) return a[2] < b[2] end)
for i = 1, #others + 1 - tonumber(ARGV[4]) do
  redis.call('DEL', others[i][1])
  redis.call('ZREM', KEYS[2], others[i][1])
end

redis.call('ZADD', KEYS[2], ends_at, KEYS[1])
redis.call('PEXPIREAT', KEYS[2], ends_at, 'NX')
redis.call('PEXPIREAT', KEYS[2], ends_at, 'GT')                            -- also after the absolute time was set shorter
return ends_at
