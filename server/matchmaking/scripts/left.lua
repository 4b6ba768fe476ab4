-- For how long events wait that a relay could take: nobody has read them, or whoever did has not settled them within the lease.
-- ARGV[1] lease in milliseconds
-- returns milliseconds; 0 if there are none
local groups = redis.pcall('XINFO', 'GROUPS', key('events'))
local group = groups[1] and table_of(groups[1])
local unread = redis.call('XRANGE', key('events'), '(' .. (group and group['last-delivered-id'] or '0-0'), '+', 'COUNT', 1)[1]
local left = group and redis.call('XPENDING', key('events'), 'relay', 'IDLE', ARGV[1], '-', '+', 1)[1]
return math.max(0, unread and now - string.match(unread[1], '^%d+') or 0, left and left[3] - ARGV[1] or 0)
