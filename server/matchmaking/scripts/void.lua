-- A match that nobody may be told of: one of its requests to join was announced in another match. That happens after Redis was restored to an earlier
-- state. A player who was announced elsewhere gets that match; the other one goes back to the same place in the queue, with the whole time again.
-- ARGV[1] match_id, [2] why, [3] milliseconds until a ticket expires, [4] keep, [5] the id of its entry or empty, then for each player: ticket_id,
-- and of the match in which the request was announced: match_id or empty, peer_user_ids (JSON), session
-- returns how many tickets wait again and how many were invalid; or nothing if the match was not open any more
local match_id, why, ttl, keep, entry = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
if entry ~= '' then
  redis.call('XACK', key('events'), 'relay', entry)
  redis.call('XDEL', key('events'), entry)
end
local state = fields_of('match:' .. match_id, 'state')[1]
redis.call('ZREM', key('published'), match_id)
if state ~= 'PAIRED' and state ~= 'PUBLISHED' then return false end
redis.call('HSET', key('match:' .. match_id), 'state', 'VOID', 'why', why, 'voided_at', now)
close_match(match_id)
redis.call('PEXPIRE', key('match:' .. match_id), keep)
count('void', 1)

local waiting = 0
for i = 6, #ARGV, 4 do
  local id, announced, peers, session = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local t = fields_of('ticket:' .. id, 'status', 'match_id', 'user_id', 'join_id', 'number', 'rating')
  if t[1] == 'MATCHED' and t[2] == match_id then
    if announced ~= '' then
      redis.call('HSET', key('ticket:' .. id), 'match_id', announced, 'peer_user_ids', peers, 'session', session)
    elseif not t[3] or not t[4] or not t[5] then
      count('matched', -1)
      end_unmatched(id, 'INVALID', 'its match was void, and a field of the ticket is missing', keep)
    elseif redis.call('HEXISTS', key('live'), t[3]) == 1 then
      count('matched', -1)
      end_unmatched(id, 'INVALID', 'its match was void, and the player waits with another ticket', keep)
    else
      count('matched', -1)
      redis.call('HDEL', key('ticket:' .. id), 'match_id', 'peer_user_ids', 'session', 'ended_at')
      redis.call('HSET', key('ticket:' .. id), 'status', 'QUEUED', 'expires_at', now + ttl)
      redis.call('PERSIST', key('ticket:' .. id))
      redis.call('PERSIST', key('join:' .. t[4]))
      redis.call('HSET', key('live'), t[3], id)
      redis.call('ZADD', key('queue'), t[5], id)
      redis.call('ZADD', key('expiries'), now + ttl, id)
      if t[6] and t[6] ~= '' then redis.call('ZADD', key('ratings'), t[6], id) end
      waiting = waiting + 1
    end
  end
end
return { waiting, ended.invalid }
