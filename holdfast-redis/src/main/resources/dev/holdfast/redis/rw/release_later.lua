-- Ends the tenure of a writer later: see release_later.
-- KEYS rw, queue. ARGV the beginning of its value (owner and token), milliseconds, owner.
-- {0} if it was not ours | {1, how many wait}

-- include parts/now
-- include parts/tenure
local value = redis.call('HGET', KEYS[1], ARGV[3])
-- include parts/kept
if not kept or tonumber(string.match(value, '^%S+ %d+ %d+ %d+ %d+ (%d+) ')) < at then
  return {0}
end
-- Before the write: it fails where something else stands under the queue's key.
local waiting = redis.call('LLEN', KEYS[2])
redis.call('HSET', KEYS[1], ARGV[3], kept)
redis.call('PEXPIRE', KEYS[1], 2 * ARGV[2] + 60000)
return {1, waiting}
