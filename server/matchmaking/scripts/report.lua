-- Reports that a worker lives. Also forgets workers that have not reported for an hour.
-- KEYS[1] the workers, of the whole system: they are in no mode's slot
-- ARGV[1] worker, [2] its report as JSON
-- returns the time
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local hour = 3600000
local all = redis.call('HGETALL', KEYS[1])
local started = now
for i = 1, #all, 2 do
  local seen, since = string.match(all[i + 1], '^(%d+) (%d+) ')
  if all[i] == ARGV[1] then started = since or now
  elseif not seen or now - tonumber(seen) > hour then redis.call('HDEL', KEYS[1], all[i]) end
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %d %s', now, started, ARGV[2]))
redis.call('PEXPIRE', KEYS[1], hour)
return now
