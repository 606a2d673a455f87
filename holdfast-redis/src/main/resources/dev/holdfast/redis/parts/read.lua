-- The lock value and the counter of the bucket, or false. A key of another type reads as absent.
-- In: KEYS lock, queue, fence. Out: held, counter.
--   lock value   owner token tokens since lease kind notes pid host description
-- Kind: 'x' for an exclusive lock, the only one that this version knows. Any other is busy, and never taken, extended or
-- rewritten. Who releases, withdraws or breaks names the owner, and that is enough. Notes: '-' or name=value,name=value;
-- what rewrites a value keeps those that it does not know.
local both = redis.call('MGET', KEYS[1], KEYS[3])
local held, counter = both[1], both[2]
