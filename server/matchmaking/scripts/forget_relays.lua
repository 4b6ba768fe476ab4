-- Forgets relays that hold nothing and have not read for a long time: each process has a name of its own.
-- ARGV[1] milliseconds
-- returns how many
local forgotten = 0
local relays = redis.pcall('XINFO', 'CONSUMERS', key('events'), 'relay')
if relays.err then return 0 end
for _, flat in ipairs(relays) do
  local one = table_of(flat)
  if one.pending == 0 and one.idle > tonumber(ARGV[1]) then
    redis.call('XGROUP', 'DELCONSUMER', key('events'), 'relay', one.name)
    forgotten = forgotten + 1
  end
end
return forgotten
