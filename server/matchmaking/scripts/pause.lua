-- Pauses a role, and notes who did it and why. Does nothing if it is paused: who paused it first, and why, stays.
-- KEYS[1] the paused roles: a hash, role → pause as JSON. KEYS[2] what operators did: a list, newest first
-- ARGV[1] role, [2] actor, [3] reason, [4] id of the action, [5] how many actions to keep
-- returns 1 if it was paused now
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local role, actor, reason, id = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('HEXISTS', KEYS[1], role) == 1 then return 0 end
local action = { action_id = id, at = now, actor = actor, action = 'role.pause', subject = role, reason = reason, detail = {} }
redis.call('LPUSH', KEYS[2], cjson.encode(action))
redis.call('LTRIM', KEYS[2], 0, ARGV[5] - 1)
redis.call('HSET', KEYS[1], role, cjson.encode({ paused_at = now, paused_by = actor, reason = reason }))
return 1
