-- Comes before every script of a mode.
-- KEYS[1] the prefix of all keys of the mode. It has the mode as its hash tag, so all keys are in one slot of a cluster. Keys of tickets and matches
-- are made from ids that a script reads, so they cannot be given by the caller.
--   queue        sorted set: tickets that wait, by their number (the order of joining)
--   expiries     sorted set: the same tickets, by when they expire
--   ratings      sorted set: the same tickets, by rating, if the mode pairs by rating
--   live         hash: user → the ticket with which the user waits
--   ticket:<id>  hash: a ticket; it expires some time after its end
--   join:<id>    the ticket of a request to join; it expires with the ticket
--   player:<id>  list: the last tickets of a user, newest first
--   erasing:<pseudonym>  when older tickets and matches of an erased user are forgotten; it expires then
--   events       stream: matches to publish; group `relay`
--   match:<id>   hash: a match; it expires some time after it was announced to both players
--   published    sorted set: published matches that are not known to be announced, by the time of publishing
--   open         sorted set: the players of matches that are not known to be announced, by name: the user as JSON, then the match
--   recent       list: the last matches; ended: the last tickets that expired or were invalid; waits: the last times to match
--   number, totals, minutes  counters
-- Times are milliseconds since 1970 by the clock of Redis.
local function key(name)
  return KEYS[1] .. ':' .. name
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- How many tickets `player:<id>` lists.
local tickets_listed = 10

-- Counters and lists are for people. pcall: an error there must not end a script between two writes that belong together.
local function count(what, by)
  redis.pcall('HINCRBY', key('totals'), what, by)
  redis.pcall('HINCRBY', key('minutes'), math.floor(now / 60000) .. ':' .. what, by)
end

local function trim_to(list, values, most)
  redis.pcall('LPUSH', key(list), unpack(values))
  redis.pcall('LTRIM', key(list), 0, most - 1)
end

-- Reads from a hash. A key of another type is empty, and `true` comes second: another program wrote it, and it must not stop the whole mode.
local function read_hash(command, name, ...)
  local found = redis.pcall(command, key(name), ...)
  if not found.err then return found, false end
  if not string.find(found.err, 'WRONGTYPE', 1, true) then return redis.call(command, key(name), ...) end -- raises the error
  return {}, true
end
local function fields_of(name, ...)
  return read_hash('HMGET', name, ...)
end

-- A ticket leaves the queue.
local function unqueue(id, user)
  redis.call('ZREM', key('queue'), id)
  redis.call('ZREM', key('expiries'), id)
  redis.call('ZREM', key('ratings'), id)
  if user and redis.call('HGET', key('live'), user) == id then redis.call('HDEL', key('live'), user) end
end

local function forget_later(id, join_id, keep)
  redis.call('PEXPIRE', key('ticket:' .. id), keep)
  if join_id then redis.call('SET', key('join:' .. join_id), id, 'PX', keep) end
end

-- A ticket gets its last state, and is forgotten `keep` milliseconds later. `fields`: further fields and values.
local function end_ticket(id, status, keep, fields)
  local ticket, is_foreign = fields_of('ticket:' .. id, 'user_id', 'join_id', 'joined_at')
  unqueue(id, ticket[1])
  if not is_foreign then redis.call('HSET', key('ticket:' .. id), 'status', status, 'ended_at', now, unpack(fields)) end
  forget_later(id, ticket[2], keep)
  return ticket
end

-- How many tickets this call has ended without a match.
local ended = { expired = 0, invalid = 0 }

-- Ends a ticket that expired or is invalid, and keeps why.
local function end_unmatched(id, status, why, keep)
  local ticket = end_ticket(id, status, keep, { 'why', why })
  local what = string.lower(status)
  ended[what] = ended[what] + 1
  count(what, 1)
  local entry = { ticket_id = id, user_id = ticket[1] or nil, status = status, why = why, joined_at = ticket[3] or nil, ended_at = tostring(now) }
  trim_to('ended', { cjson.encode(entry) }, 1000)
end

-- What a relay requires of ids and times. A ticket without it must not be paired: nobody could be told of its match.
local hex = '[%da-f][%da-f][%da-f][%da-f]'
local uuid = '^' .. hex .. hex .. '%-' .. hex .. '%-' .. hex .. '%-' .. hex .. '%-' .. hex .. hex .. hex .. '$'
local function is_uuid(text)
  return text and string.find(text, uuid) ~= nil
end
local function is_time(number)
  return number and number >= 1 and number < 1e14 and number % 1 == 0
end

-- Whether a ticket that stands in the queue may be paired. Ends it if it has expired or is broken.
local function eligible(id, keep)
  local t = fields_of('ticket:' .. id, 'status', 'user_id', 'join_id', 'joined_at', 'expires_at', 'traceparent', 'rating', 'number')
  local joined_at, expires_at, number = tonumber(t[4] or ''), tonumber(t[5] or ''), tonumber(t[8] or '')
  local lacks = not t[2] or t[2] == '' or not is_uuid(id) or not is_uuid(t[3]) or not is_time(joined_at) or not is_time(expires_at) or not t[6] or not number
  local broken = (not t[1] and 'the queue has it, but there is no such ticket')
    or (t[1] ~= 'QUEUED' and 'the queue has it, but it is ' .. t[1])
    or (lacks and 'a field of the ticket is missing or not valid')
    or (redis.call('HGET', key('live'), t[2]) ~= id and 'the player waits with another ticket')
  if broken then
    -- A ticket that has ended keeps its state: only its place in the queue was wrong.
    if t[1] and t[1] ~= 'QUEUED' then
      unqueue(id)
    else
      end_unmatched(id, 'INVALID', broken, keep)
    end
    return nil
  end
  if expires_at <= now then
    end_unmatched(id, 'EXPIRED', 'nobody was found in time', keep)
    return nil
  end
  local rating = tonumber(t[7] or '')
  return {
    id = id, user_id = t[2], join_id = t[3], traceparent = t[6], number = number, expires_at = expires_at,
    joined_at = math.min(joined_at, now), -- the clock of Redis may have been set back since
    rating = rating == rating and rating or nil, -- not a number: none
  }
end

-- A player in `open`. The names of a user's matches begin alike, and those of no other user do: a quote ends the id.
local function open_name(user, match_id)
  return cjson.encode(user) .. match_id
end

-- A match is announced or void: its event is not sent again, and its players leave `open`.
local function close_match(id)
  local match = fields_of('match:' .. id, 'entry', 'event')
  if match[1] then
    redis.pcall('XACK', key('events'), 'relay', match[1])
    redis.pcall('XDEL', key('events'), match[1])
  end
  local is_readable, event = pcall(cjson.decode, match[2] or '{}')
  local players = is_readable and type(event) == 'table' and event.players
  for _, player in ipairs(type(players) == 'table' and players or {}) do
    if type(player) == 'table' and player.user_id then redis.pcall('ZREM', key('open'), open_name(player.user_id, id)) end
  end
end

-- The pairs of this call: how long each player has waited, and what the lists get.
local made = { waits = {}, samples = {}, matches = {} }

-- Pairs two eligible tickets: the event is appended, and both get their last state. `a` has waited longer.
-- The event comes first: if a later write fails, the players are told all the same, and a second match of theirs is refused and void.
local function pair(a, b, match_id, session, keep)
  local players = {}
  for i, one in ipairs({ a, b }) do
    players[i] = { user_id = one.user_id, ticket_id = one.id, join_id = one.join_id, joined_at = one.joined_at, traceparent = one.traceparent }
  end
  local event = cjson.encode({ session = session, paired_at = now, players = players })
  local entry = redis.call('XADD', key('events'), '*', 'match_id', match_id, 'generation', 0, 'event', event)
  redis.call('HSET', key('match:' .. match_id), 'state', 'PAIRED', 'generation', 0, 'event', event, 'entry', entry)
  redis.pcall('ZADD', key('open'), 0, open_name(a.user_id, match_id), 0, open_name(b.user_id, match_id))
  redis.call('ZREM', key('queue'), a.id, b.id)
  redis.call('ZREM', key('expiries'), a.id, b.id)
  if a.rating or b.rating then redis.call('ZREM', key('ratings'), a.id, b.id) end
  redis.call('HDEL', key('live'), a.user_id, b.user_id)
  for i, one in ipairs({ a, b }) do
    local peer = i == 1 and b or a
    redis.call('HSET', key('ticket:' .. one.id), 'status', 'MATCHED', 'ended_at', now, 'match_id', match_id, 'session', session,
      'peer_user_ids', cjson.encode({ peer.user_id }))
    forget_later(one.id, one.join_id, keep)
    table.insert(made.waits, now - one.joined_at)
    table.insert(made.samples, now .. ':' .. (now - one.joined_at))
  end
  table.insert(made.matches, match_id)
end

-- Counts the pairs of this call. Once for all of them: one by one these would be a third of the commands of a pair.
local function note_pairs()
  if #made.matches == 0 then return end
  trim_to('waits', made.samples, 1000)
  trim_to('recent', made.matches, 1000)
  count('matched', #made.samples)
  count('matches', #made.matches)
end

-- Hash fields as a table.
local function table_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end

-- The time to match that half of the last players stayed below, in milliseconds. Without a match in the last ten minutes: empty.
local function usual_wait()
  local lately = {}
  for _, sample in ipairs(redis.call('LRANGE', key('waits'), 0, 50)) do
    local at, wait = string.match(sample, '^(%d+):(%d+)$')
    if at and now - tonumber(at) < 600000 then table.insert(lately, tonumber(wait)) end
  end
  table.sort(lately)
  return lately[math.ceil(#lately / 2)] or ''
end

-- A ticket as players see it: the time, how many tickets this call has ended as expired and as invalid; then, if there is such a ticket, its fields
-- as JSON, how many wait in front of it, and the usual wait.
local function view(id, keep)
  local t = fields_of('ticket:' .. id, 'status', 'expires_at')
  if t[1] == 'QUEUED' and (tonumber(t[2] or '') or 0) <= now then
    end_unmatched(id, 'EXPIRED', 'nobody was found in time', keep)
  end
  local flat = read_hash('HGETALL', 'ticket:' .. id)
  if #flat == 0 then return { now, ended.expired, ended.invalid } end
  local waits = t[1] == 'QUEUED' and usual_wait() or ''
  return { now, ended.expired, ended.invalid, cjson.encode(table_of(flat)), redis.call('ZRANK', key('queue'), id) or '', waits }
end
