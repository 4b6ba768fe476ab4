-- Pairs tickets by rating: the longest waiting first, each with the nearest rating inside its window. Of several at the same distance it takes the
-- oldest by id, since ids begin with the time. The window grows with the wait, from `window` to the whole range after `opens`.
-- Looks at the first tickets of the queue and at as many after `from`, so that one call is bounded and a walk of several calls sees all, whatever
-- leaves the queue meanwhile. Ends tickets that have expired, at most as many as it looks at and as many again as neighbours.
-- ARGV[1] keep, [2] window at the start, [3] whole range, [4] opens: milliseconds until the window has the whole range, [5] how many tickets to look at
-- from the front and after `from`, [6] from: the number of the last ticket that the walk has seen; 0: a new walk, then for each pair to make at the
-- most: match_id, session
-- returns waits, expired and invalid as pair_fifo, and `from` for the next call of this walk; 0: the walk has ended
local keep, window, range, opens, looks, from = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local most = (#ARGV - 6) / 2
local gone, stale = {}, 2 * looks

local function usable(id)
  local ticket = eligible(id, keep)
  if ticket and ticket.rating then return ticket end
  gone[id] = true
  if ticket then end_unmatched(id, 'INVALID', 'the ticket has no rating', keep) end
  return nil
end

local function window_of(ticket)
  return math.min(range, window + (range - window) * (now - ticket.joined_at) / opens)
end

-- The nearest ticket with the same or a higher rating, and with a lower one: its id and its rating.
local function above(ticket, reach)
  local found = redis.call('ZRANGEBYSCORE', key('ratings'), ticket.rating, ticket.rating + reach, 'WITHSCORES', 'LIMIT', 0, 2)
  local i = found[1] == ticket.id and 3 or 1
  return found[i], tonumber(found[i + 1])
end
local function below(ticket, reach)
  local lower = '(' .. string.format('%.17g', ticket.rating)
  local rating = redis.call('ZREVRANGEBYSCORE', key('ratings'), lower, ticket.rating - reach, 'WITHSCORES', 'LIMIT', 0, 1)[2]
  if not rating then return nil end
  -- The other direction: it begins with the oldest of those with this rating.
  return redis.call('ZRANGEBYSCORE', key('ratings'), rating, rating, 'LIMIT', 0, 1)[1], tonumber(rating)
end

local function nearest(ticket)
  local reach = window_of(ticket)
  while true do
    local id, rating = above(ticket, reach)
    -- A lower one has to be as near.
    local other, lower = below(ticket, id and rating - ticket.rating or reach)
    if other and (not id or ticket.rating - lower < rating - ticket.rating or other < id) then id, rating = other, lower end
    if not id then return nil end
    local found = usable(id)
    if found and found.rating == rating then return found end
    -- It has left the queue, or its place by rating was wrong. The next one may be usable.
    if found then redis.call('ZADD', key('ratings'), found.rating, id) end
    stale = stale - 1
    if stale <= 0 then return nil end
  end
end

local function take(id)
  local ticket = usable(id)
  local other = ticket and nearest(ticket)
  if not other then return end
  local a, b = ticket, other
  if b.number < a.number then a, b = b, a end
  local n = 2 * #made.matches
  pair(a, b, ARGV[7 + n], ARGV[8 + n], keep)
  gone[a.id], gone[b.id] = true, true
end

-- Returns the number of the last ticket that it looked at; 0: there are no more.
local function walk(after)
  local found = redis.call('ZRANGEBYSCORE', key('queue'), '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, looks)
  for i = 1, #found, 2 do
    if #made.matches >= most then return after end
    if not gone[found[i]] then take(found[i]) end
    after = tonumber(found[i + 1])
  end
  return #found < 2 * looks and 0 or after
end

local front = walk(-1)
local after = front
if from > 0 and front ~= 0 then
  after = math.max(from, front)
  if #made.matches < most then after = walk(after) end
end
note_pairs()
return { made.waits, ended.expired, ended.invalid, after }
