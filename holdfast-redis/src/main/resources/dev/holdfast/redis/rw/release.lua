-- Ends the tenure of a reader or a writer, and lets in who may come in then.
-- KEYS rw, queue, fence, seen. ARGV context, owner.
-- 0 if it was not ours | 1 | {1, the longest window} if others were let in

local value = redis.call('HGET', KEYS[1], ARGV[2])
if not value then
  return 0
end
-- include rw/parts/leave
return {lived and 1 or 0, window}
