-- Records the state of the stream. It lost messages if its incarnation changed or its last sequence is below the one known before.
-- KEYS[1] the record, of the whole system: it is in no mode's slot
-- ARGV[1] incarnation, [2] its last sequence, [3] the last sequence known before
-- returns 1 if it lost messages, and until when published matches count as lost (milliseconds, or empty)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local incarnation, last, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local before = redis.call('HMGET', KEYS[1], 'incarnation', 'last_seq', 'resend_before')
local lost = before[1] and (before[1] ~= incarnation or last < known)
if lost then redis.call('HSET', KEYS[1], 'resend_before', now) end
-- A write is synchronised with the disk, so an idle system writes nothing.
if lost or not before[1] or last > tonumber(before[2] or 0) then redis.call('HSET', KEYS[1], 'incarnation', incarnation, 'last_seq', last) end
return { lost and 1 or 0, lost and tostring(now) or before[3] or '' }
