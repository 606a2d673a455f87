-- For KEYS lock, queue, fence, admission. The lock value and the counter are false if they are not there.
local values = redis.call('MGET', KEYS[1], KEYS[3], KEYS[4])
local held, counter, record = values[1], values[2], values[3]
-- include quorum/parts/admitted
