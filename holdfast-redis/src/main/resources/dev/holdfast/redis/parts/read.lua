-- The lock value and the counter of the bucket, or false. A key of another type reads as absent.
--   lock value   owner token tokens since lease pid host description
local both = redis.call('MGET', KEYS[1], KEYS[3])
local held, counter = both[1], both[2]
