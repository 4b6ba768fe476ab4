-- A token bucket: takes one token, if there is one. By the clock of Redis, so that gateways with different clocks agree.
-- KEYS[1] the bucket; ARGV[1] how many it holds, ARGV[2] milliseconds to fill it from empty
-- returns 1 or 0 (taken or not), whole tokens left, milliseconds until there is one more
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holds, fill = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(known[1] or holds), tonumber(known[2] or now)
tokens = math.min(holds, tokens + math.max(0, now - at) * holds / fill)
local taken = tokens >= 1 and 1 or 0
tokens = tokens - taken
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], fill)
return { taken, math.floor(tokens), math.ceil((1 - (tokens % 1)) * fill / holds) }
