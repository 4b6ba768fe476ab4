-- How many wait, and what is not published or not announced.
-- returns the time, how many wait, when the first and the second of the queue joined, when the next ticket expires, how many events are not published and
-- since when, how many published matches are not known to be announced and since when; a time is empty if there is none
local waiting = redis.call('ZRANGE', key('queue'), 0, 1)
local expiry = redis.call('ZRANGE', key('expiries'), 0, 0, 'WITHSCORES')
local event = redis.call('XRANGE', key('events'), '-', '+', 'COUNT', 1)[1]
local published = redis.call('ZRANGE', key('published'), 0, 0, 'WITHSCORES')
return {
  now,
  redis.call('ZCARD', key('queue')),
  waiting[1] and fields_of('ticket:' .. waiting[1], 'joined_at')[1] or '',
  waiting[2] and fields_of('ticket:' .. waiting[2], 'joined_at')[1] or '',
  expiry[2] or '',
  redis.call('XLEN', key('events')),
  event and string.match(event[1], '^%d+') or '',
  redis.call('ZCARD', key('published')),
  published[2] or '',
}
