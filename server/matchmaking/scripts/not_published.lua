-- Keeps why matches were not published, for operators. Their events stay in the group and are tried again.
-- ARGV for each: match_id, why
-- returns how many are known
local known = 0
for i = 1, #ARGV, 2 do
  if fields_of('match:' .. ARGV[i], 'state')[1] == 'PAIRED' then
    redis.call('HSET', key('match:' .. ARGV[i]), 'why', ARGV[i + 1])
    known = known + 1
  end
end
return known
