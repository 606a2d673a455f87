-- Takes a claim back: out of the queue, and released if it was granted a slot in the meantime.
-- KEYS queue, fence, and the slots from 0 on. ARGV context, owner, the queue entry (empty: look for it).
-- {1 if it was granted, the window if the slot was handed over, the slot}

-- include parts/owner
local queue = KEYS[1]
-- include parts/leave
local values = redis.call('MGET', unpack(KEYS, 2))
local counter = values[1]
for i = 3, #KEYS do
  if owner_of(values[i - 1]) == ARGV[2] then
    -- include parts/now
    local at = math.ceil(now / 1000)
    -- include semaphore/parts/take
    -- include semaphore/parts/queue
    local window = serve(take(i - 3), i - 3, KEYS[i])
    if not window then
      redis.call('DEL', KEYS[i])
    end
    return {1, window or 0, i - 3}
  end
end
return {0, 0}
