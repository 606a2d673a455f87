-- Ends the tenure of a slot later: see release_later.
-- KEYS queue, slot. ARGV the beginning of its value (owner and token), milliseconds.
-- {0} if it was not ours | {1, how many wait}

-- include parts/now
local at = math.ceil(now / 1000)
local value = redis.call('MGET', KEYS[2])[1]
-- include parts/kept
if not kept then
  return {0}
end
-- Before the write: it fails where something else stands under the queue's key.
local waiting = redis.call('LLEN', KEYS[1])
redis.call('SET', KEYS[2], kept, 'PX', ARGV[2])
return {1, waiting}
