-- Opens a session. By the clock of Redis.
-- KEYS[1] the session; ARGV[1] data, ARGV[2] idle milliseconds, ARGV[3] milliseconds to its end
-- returns when it ends, in milliseconds since 1970
local time = redis.call('TIME')
local ends_at = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[3])
local opened_at = string.format('%.0f', time[1] * 1000000 + time[2])       -- microseconds
redis.call('HSET', KEYS[1], 'data', ARGV[1], 'ends_at', ends_at, 'opened_at', opened_at)
redis.call('PEXPIRE', KEYS[1], math.min(tonumber(ARGV[2]), tonumber(ARGV[3])))
return ends_at
