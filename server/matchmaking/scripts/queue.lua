-- How many wait, and the usual time to match.
-- returns how many, milliseconds or empty
return { redis.call('ZCARD', key('queue')), usual_wait() }
