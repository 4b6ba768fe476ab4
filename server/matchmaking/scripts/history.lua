-- What has happened in the mode.
-- returns the time, the totals, the minutes and the last times to match, each as JSON
return {
  now,
  cjson.encode(table_of(redis.call('HGETALL', key('totals')))),
  cjson.encode(table_of(redis.call('HGETALL', key('minutes')))),
  cjson.encode(redis.call('LRANGE', key('waits'), 0, -1)),
}
