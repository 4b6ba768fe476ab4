-- Replaces a user in what operators did: in a piece of the list of actions, and in the paused roles.
-- As an actor only `user:<id>` is replaced. In reasons a UUID is replaced wherever it stands, another id or an address only as a whole word, because it
-- may be a part of somebody else's.
-- KEYS[1] the paused roles: a hash, role → pause as JSON. KEYS[2] what operators did: a list, newest first
-- ARGV[1] user_id, [2] pseudonym, [3] how many actions to pass over, [4] how many to read, then the user's e-mail addresses
-- returns how many actions were read, how many records were changed
local user, pseudonym, from, most = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local hex = '%x%x%x%x'
local uuid = '^' .. hex .. hex .. '%-' .. hex .. '%-' .. hex .. '%-' .. hex .. '%-' .. hex .. hex .. hex .. '$'
local is_uuid = string.find(user, uuid) ~= nil

-- Whether nothing but a border is on both sides of a part of a text. A byte from 128 on is part of a letter.
local function is_word(text, first, last)
  local before, after = string.sub(text, first - 1, first - 1), string.sub(text, last + 1, last + 2)
  return not string.find(before, '[%w_@.+%-\128-\255]') and not string.find(after, '^[%w_@+%-\128-\255]') and not string.find(after, '^%.[%w_\128-\255]')
end

local function replaced(text, what, by, is_anywhere, any_case)
  local searched = any_case and string.lower(text) or text
  local wanted = any_case and string.lower(what) or what
  local parts, kept, at = {}, 1, 1
  while wanted ~= '' do
    local first, last = string.find(searched, wanted, at, true)
    if not first then break end
    at = first + 1
    if is_anywhere or is_word(text, first, last) then
      table.insert(parts, string.sub(text, kept, first - 1) .. by)
      kept, at = last + 1, last + 1
    end
  end
  return table.concat(parts) .. string.sub(text, kept)
end

local function masked(text)
  if type(text) ~= 'string' then return text end
  text = replaced(text, user, pseudonym, is_uuid, is_uuid)
  for i = 5, #ARGV do text = replaced(text, ARGV[i], 'erased', false, true) end
  return text
end
local function masked_actor(actor)
  return actor == 'user:' .. user and 'user:' .. pseudonym or actor
end

local fields = { actor = masked_actor, paused_by = masked_actor, reason = masked, paused_because = masked }
-- Returns nothing if the record does not name the user. A record that is no JSON is a text.
local function without_user(entry)
  local is_readable, record = pcall(cjson.decode, entry)
  if not is_readable or type(record) ~= 'table' then
    local text = masked(entry)
    return text ~= entry and text or nil
  end
  local is_named = false
  for _, part in ipairs({ record, type(record.detail) == 'table' and record.detail or {} }) do
    for field, mask in pairs(fields) do
      local value = part[field]
      if value ~= mask(value) then part[field], is_named = mask(value), true end
    end
  end
  return is_named and cjson.encode(record) or nil
end

local changed = 0
local paused = redis.call('HGETALL', KEYS[1])
for i = 1, #paused, 2 do
  local pause = without_user(paused[i + 1])
  if pause then
    redis.call('HSET', KEYS[1], paused[i], pause)
    changed = changed + 1
  end
end
local actions = redis.call('LRANGE', KEYS[2], from, from + most - 1)
for i, entry in ipairs(actions) do
  local action = without_user(entry)
  if action then
    redis.call('LSET', KEYS[2], from + i - 1, action)
    changed = changed + 1
  end
end
return { #actions, changed }
