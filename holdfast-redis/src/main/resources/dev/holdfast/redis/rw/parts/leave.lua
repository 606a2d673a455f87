-- Ends the tenure with this value, and lets in who may come in then.
-- In: KEYS rw, queue, fence, seen; ARGV context, owner; value (nil: it only left the queue). Out: lived (whether its time was not over), remaining, window.
-- include parts/now
-- include parts/tenure
local remaining = value and (string.match(value, '^%S+ %d+ %d+ %d+ %d+ (%d+) ') or 0) - at or -1
local lived = remaining >= 0
if value then
  redis.call('HDEL', KEYS[1], ARGV[2])
end
local window = 0
if redis.call('LLEN', KEYS[2]) > 0 then
  -- include rw/parts/holders
  local counter = redis.call('MGET', KEYS[3])[1]
  -- include rw/parts/queue
  window = serve()
end
