-- Ends the tenure of a reader or a writer, but only that of the owner that was seen, and lets in others like a release.
-- KEYS rw, queue, fence, seen. ARGV context, owner.
-- {value or nil, remaining milliseconds, queue entries, the longest window if others were let in}

local value = redis.call('HGET', KEYS[1], ARGV[2])
if not value then
  return {false, 0, {}, 0}
end
local waiters = redis.call('LRANGE', KEYS[2], 0, -1)
-- include rw/parts/leave
return {lived and value, remaining, waiters, window}
