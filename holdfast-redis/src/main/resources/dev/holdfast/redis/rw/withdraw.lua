-- Takes a claim back: out of the queue, and released if it was granted in the meantime. Then lets in who may come in: it may have been
-- what kept others out.
-- KEYS rw, queue, fence, seen. ARGV context, owner, the queue entry (empty: look for it).
-- {1 if it was granted, the longest window if others were let in}

-- include parts/owner
local queue = KEYS[2]
do
  -- include parts/leave
end
local value = redis.call('HGET', KEYS[1], ARGV[2])
-- include rw/parts/leave
return {lived and 1 or 0, window}
