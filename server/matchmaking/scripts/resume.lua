-- Resumes a role, and notes who did it and why, with the pause that it ends. Does nothing if it is not paused.
-- KEYS[1] the paused roles: a hash, role → pause as JSON. KEYS[2] what operators did: a list, newest first
-- ARGV[1] role, [2] actor, [3] reason, [4] id of the action, [5] how many actions to keep
-- returns 1 if it was resumed now
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local role, actor, reason, id = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local found = redis.call('HGET', KEYS[1], role)
if not found then return 0 end
local is_readable, pause = pcall(cjson.decode, found)
local detail = is_readable and type(pause) == 'table' and { paused_at = pause.paused_at, paused_by = pause.paused_by, paused_because = pause.reason } or {}
local action = { action_id = id, at = now, actor = actor, action = 'role.resume', subject = role, reason = reason, detail = detail }
redis.call('LPUSH', KEYS[2], cjson.encode(action))
redis.call('LTRIM', KEYS[2], 0, ARGV[5] - 1)
redis.call('HDEL', KEYS[1], role)
return 1
