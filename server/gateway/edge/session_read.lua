-- Reads a session and keeps it alive: for another idle time, but never beyond its end. By the clock of Redis.
-- KEYS[1] the session; ARGV[1] idle milliseconds
-- returns what was kept and the time, in milliseconds since 1970; or nothing
local kept = redis.call('HMGET', KEYS[1], 'data', 'ends_at')
if not kept[1] then return false end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = kept[2] - now
if left <= 0 then
  redis.call('DEL', KEYS[1])
  return false
end
redis.call('PEXPIRE', KEYS[1], math.min(left, tonumber(ARGV[1])))
return { kept[1], now }
