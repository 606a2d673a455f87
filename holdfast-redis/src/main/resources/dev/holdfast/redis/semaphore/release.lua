-- Ends the tenure of a slot and hands the slot to the next waiter that counts with it.
-- KEYS queue, fence, slot. ARGV context, owner, number of the slot.
-- 0 if it was not ours | 1 | {1, the window} if it was handed over

-- include semaphore/parts/read
-- Compare before delete: once our lease lapsed, this key may be someone else's.
if not held or string.match(held, '^%S+') ~= ARGV[2] then
  return 0
end
-- include semaphore/parts/take
local slot = tonumber(ARGV[3])
local first = take(slot)
if not first then
  redis.call('DEL', KEYS[3])
  return 1
end

-- include parts/now
local at = math.ceil(now / 1000)
-- include semaphore/parts/queue
local window = serve(first, slot, KEYS[3])
if not window then
  redis.call('DEL', KEYS[3])
end
return {1, window or 0}
