-- For KEYS lock, queue, fence, admission. The lock value, the counter and the record are false if they are not there, the
-- longest lease is nothing if this node may not vote.
local values = redis.call('MGET', KEYS[1], KEYS[3], KEYS[4])
local held, counter, record = values[1], values[2], values[3]
local longest = max_lease(record)
if not longest then
  return unadmitted(record)
end
