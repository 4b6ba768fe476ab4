-- Pairs the tickets that have waited longest, two by two.
-- ARGV[1] keep, then for each pair to make at the most: match_id, session
-- returns how long the matched players have waited (milliseconds, in the order of the pairs), how many tickets had expired, how many were invalid
local keep, most = tonumber(ARGV[1]), (#ARGV - 1) / 2
local first
for _, id in ipairs(redis.call('ZRANGE', key('queue'), 0, 2 * most - 1)) do
  local ticket = eligible(id, keep)
  if ticket and not first then
    first = ticket
  elseif ticket then
    local n = 2 * #made.matches
    pair(first, ticket, ARGV[2 + n], ARGV[3 + n], keep)
    first = nil
  end
end
note_pairs()
return { made.waits, ended.expired, ended.invalid }
