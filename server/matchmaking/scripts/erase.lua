-- Replaces a user's id in the records of a mode: the user's last tickets, their matches, the tickets of the players met there, and the list of ended tickets.
-- The live ticket is cancelled first. Nothing is replaced while a match of the user is not announced: its records are needed as they are.
-- Reads only what belongs to the user, however many matches of others wait.
-- A user's tickets are listed up to a number. If there may be older ones, they end by themselves `keep` milliseconds after this.
-- ARGV[1] user_id, [2] pseudonym, [3] keep
-- returns how many matches must be announced first, milliseconds until older tickets are forgotten, how many records were changed
local user, pseudonym, keep = ARGV[1], ARGV[2], tonumber(ARGV[3])
-- An id stands alone in a field, or as a text in JSON. A part of another text is somebody else's.
local quoted = cjson.encode(user)
local pattern = string.gsub(quoted, '%W', '%%%0')
-- So many open matches are looked at in one call. If there may be more, it is not done.
local most_open = 100

local function names_user(text)
  return text and (text == user or string.find(text, quoted, 1, true) ~= nil)
end
local function masked(text)
  if text == user then return pseudonym end
  return (string.gsub(text, pattern, cjson.encode(pseudonym)))
end

local live = redis.call('HGET', key('live'), user)
if live then
  end_ticket(live, 'CANCELLED', keep, {})
  unqueue(live, user)
  count('cancelled', 1)
end

-- The matches of the listed tickets, and those in `open`: of a match that waits for long, the ticket is forgotten.
local listed = redis.call('LRANGE', key('player:' .. user), 0, -1)
local matches, from_tickets = {}, {}
for _, id in ipairs(listed) do
  local match_id = fields_of('ticket:' .. id, 'match_id')[1]
  if match_id then matches[match_id], from_tickets[match_id] = true, true end
end
local open = redis.call('ZRANGEBYLEX', key('open'), '[' .. quoted, '[' .. quoted .. '\255', 'LIMIT', 0, most_open)
for _, name in ipairs(open) do
  matches[string.sub(name, #quoted + 1)] = true
end

local waiting, is_hidden = 0, false
for id in pairs(matches) do
  local state = fields_of('match:' .. id, 'state')[1]
  if state == 'PAIRED' or state == 'PUBLISHED' then
    waiting = waiting + 1
    is_hidden = is_hidden or not from_tickets[id]
  else
    redis.call('ZREM', key('open'), open_name(user, id))
  end
end
if #open == most_open then waiting = math.max(waiting, 1) end
local erasing = key('erasing:' .. pseudonym)
if waiting > 0 then
  -- No ticket leads to it: it ends by itself `keep` milliseconds after its announcement.
  if is_hidden then redis.call('SET', erasing, 'after the matches') end
  return { waiting, 0, 0 }
end

local changed = 0
local function mask(name)
  local fields, found = table_of(read_hash('HGETALL', name)), false
  for field, value in pairs(fields) do
    if names_user(value) then
      redis.call('HSET', key(name), field, masked(value))
      found = true
    end
  end
  if found then changed = changed + 1 end
  return fields
end

for _, id in ipairs(listed) do
  local ticket = mask('ticket:' .. id)
  -- What the player asked for, and its digest.
  if ticket.user_id == user then redis.call('HSET', key('ticket:' .. id), 'attributes', '{}', 'digest', 'erased') end
  local match = ticket.match_id and mask('match:' .. ticket.match_id) or {}
  local is_readable, event = pcall(cjson.decode, match.event or '{}')
  for _, player in ipairs(is_readable and type(event) == 'table' and event.players or {}) do mask('ticket:' .. tostring(player.ticket_id)) end
end
local was_hidden = redis.call('GET', erasing) == 'after the matches'
if #listed >= tickets_listed or was_hidden then redis.call('SET', erasing, now + keep, 'PX', keep) end
redis.call('LTRIM', key('player:' .. user), 1, 0)

for i, entry in ipairs(redis.call('LRANGE', key('ended'), 0, -1)) do
  if names_user(entry) then
    redis.call('LSET', key('ended'), i - 1, masked(entry))
    changed = changed + 1
  end
end
return { 0, math.max(0, (redis.call('GET', erasing) or now) - now), changed }
