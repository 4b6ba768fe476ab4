-- Joins the queue: a new ticket, or the one that the same request has made before.
-- ARGV[1] user_id, [2] join_id: the id of the request, the same for every repetition, [3] ticket_id for a new ticket, [4] digest of the request,
-- [5] attributes (JSON), [6] rating or empty, [7] traceparent, [8] milliseconds until it expires, [9] keep: milliseconds to remember an ended ticket
-- returns `joined`, `replayed`, `conflict` (the request had another digest) or `already_queued` (the user waits with this ticket), the ticket_id, its view
local user, join_id, fresh, digest, attributes, rating, traceparent = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local ttl, keep = tonumber(ARGV[8]), tonumber(ARGV[9])

local known = redis.call('GET', key('join:' .. join_id))
local before = known and fields_of('ticket:' .. known, 'digest')[1]
if before then
  return { before == digest and 'replayed' or 'conflict', known, view(known, keep) }
end

local live = redis.call('HGET', key('live'), user)
if live then
  local waiting = eligible(live, keep)
  if waiting and redis.call('ZSCORE', key('queue'), live) then return { 'already_queued', live, view(live, keep) } end
  if waiting then end_unmatched(live, 'INVALID', 'the ticket was not in the queue', keep) end
  unqueue(live, user)
end

local number = redis.call('INCR', key('number'))
redis.call('HSET', key('ticket:' .. fresh), 'status', 'QUEUED', 'user_id', user, 'join_id', join_id, 'digest', digest, 'attributes', attributes,
  'rating', rating, 'traceparent', traceparent, 'joined_at', now, 'expires_at', now + ttl, 'number', number)
redis.call('SET', key('join:' .. join_id), fresh)
redis.call('HSET', key('live'), user, fresh)
redis.call('ZADD', key('queue'), number, fresh)
redis.call('ZADD', key('expiries'), now + ttl, fresh)
if rating ~= '' then redis.call('ZADD', key('ratings'), rating, fresh) end
trim_to('player:' .. user, { fresh }, tickets_listed)
redis.call('PEXPIRE', key('player:' .. user), ttl + keep)
count('joined', 1)
return { 'joined', fresh, view(fresh, keep) }
