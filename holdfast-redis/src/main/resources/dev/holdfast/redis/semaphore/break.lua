-- Ends somebody's tenure of a slot, but only that of the owner that was seen, and hands over like a release.
-- KEYS queue, fence, slot. ARGV context, owner, number of the slot.
-- {value or nil, remaining milliseconds, queue entries, the window if it was handed over}

-- include parts/owner
-- include semaphore/parts/read
if owner_of(held) ~= ARGV[2] then
  return {false, 0, {}, 0}
end
local remaining = redis.call('PTTL', KEYS[3])
local waiters = redis.call('LRANGE', KEYS[1], 0, -1)
-- include parts/now
local at = math.ceil(now / 1000)
-- include semaphore/parts/take
-- include semaphore/parts/queue
local slot = tonumber(ARGV[3])
local window = serve(take(slot), slot, KEYS[3])
if not window then
  redis.call('DEL', KEYS[3])
end
return {held, remaining, waiters, window or 0}
