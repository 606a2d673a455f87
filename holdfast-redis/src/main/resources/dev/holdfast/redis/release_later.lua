-- Ends a tenure later: the lock stays taken for exactly so long from now, whatever is left of its lease. Nobody renews it.
-- KEYS lock, queue. ARGV the beginning of its value (owner and token), milliseconds.
-- {0} if it was not ours | {1, how many wait}

local held = redis.call('MGET', KEYS[1])[1]
if not held or string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then
  return {0}
end
local head, rest = string.match(held, '^(%S+ %d+ %d+ %d+ )%d+( x .*)$')
if not head then
  return {0}
end
-- Before the write: it fails where something else stands under the queue's key.
local waiting = redis.call('LLEN', KEYS[2])
-- The value has to say so, or others would take a longer time for a clock that was set back.
redis.call('SET', KEYS[1], head .. ARGV[2] .. rest, 'PX', ARGV[2])
return {1, waiting}
