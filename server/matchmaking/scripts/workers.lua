-- The workers that reported lately.
-- KEYS[1] the workers, of the whole system
-- returns the time, then each worker and `<seen> <started> <report as JSON>`, both times in milliseconds
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { now, unpack(redis.call('HGETALL', KEYS[1])) }
