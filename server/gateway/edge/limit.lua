-- Token buckets: takes one token of each, or none of any if one is empty. By the clock of Redis, so that gateways with different clocks agree.
-- KEYS the buckets, all of one hash tag; ARGV for each: how many tokens it holds, milliseconds to fill it from empty
-- returns for each bucket: 1 or 0 (it had a token or not), whole tokens left, milliseconds until there is one more
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens, take = {}, 1
for i, bucket in ipairs(KEYS) do
  local holds, fill = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local known = redis.call('HMGET', bucket, 'tokens', 'at')
  local left, at = tonumber(known[1] or holds), tonumber(known[2] or now)
  tokens[i] = math.min(holds, left + math.max(0, now - at) * holds / fill)
  if tokens[i] < 1 then take = 0 end
end
local levels = {}
for i, bucket in ipairs(KEYS) do
  local holds, fill = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local had = tokens[i] >= 1 and 1 or 0
  local left = tokens[i] - take
  redis.call('HSET', bucket, 'tokens', left, 'at', now)
  redis.call('PEXPIRE', bucket, fill)
  levels[i] = { had, math.floor(left), math.ceil((1 - (left % 1)) * fill / holds) }
end
return levels
