-- The value of a slot and the counter of the bucket, or false. A key of another type reads as absent.
-- In: KEYS queue, fence, slot. Out: held, counter.
local both = redis.call('MGET', KEYS[3], KEYS[2])
local held, counter = both[1], both[2]
