-- Takes events to publish: those that this relay could not publish before, those that another relay has not settled within its lease, then new ones.
-- Makes the group if there is none.
-- ARGV[1] the name of the relay, [2] lease in milliseconds, [3] how many at the most, [4] 1: also its own of before
-- returns for each: the id of the entry, match_id, generation, event; an entry without a field has an empty one
local relay, lease, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local taken, known = {}, {}

local function add(entries)
  for _, entry in ipairs(entries or {}) do
    local id, flat = entry[1], entry[2]
    if flat and not known[id] then
      local fields = table_of(flat)
      known[id] = true
      table.insert(taken, { id, fields.match_id or '', fields.generation or '', fields.event or '' })
    end
  end
end

local function read(from)
  local answer = redis.call('XREADGROUP', 'GROUP', 'relay', relay, 'COUNT', most - #taken, 'STREAMS', key('events'), from)
  add(answer and answer[1] and answer[1][2])
end

local groups = redis.pcall('XINFO', 'GROUPS', key('events'))
if groups.err or #groups == 0 then redis.pcall('XGROUP', 'CREATE', key('events'), 'relay', '0', 'MKSTREAM') end
if ARGV[4] == '1' then read('0') end
if #taken < most then add(redis.call('XAUTOCLAIM', key('events'), 'relay', relay, lease, '0', 'COUNT', most - #taken)[2]) end
if #taken < most then read('>') end
return taken
