-- The lock value and the counter of the bucket, or false; and that this node votes.
-- In: KEYS lock, queue, fence, admission; ARGV admitted. Out: held, counter, record, longest.
local values = redis.call('MGET', KEYS[1], KEYS[3], KEYS[4])
local held, counter, record = values[1], values[2], values[3]
-- include quorum/parts/admitted
