-- Ends a tenure and hands the lock to the next waiter.
-- KEYS lock, queue, fence. ARGV context, owner.
-- 0 if it was not ours | 1 | {1, the window} if it was handed over

-- include parts/read
-- Compare before delete: once our lease lapsed, this key may be someone else's.
if not held or string.match(held, '^%S+') ~= ARGV[2] then
  return 0
end
local first = redis.call('LPOP', KEYS[2])
if not first then
  redis.call('DEL', KEYS[1])
  return 1
end

-- include parts/now
-- include parts/queue
local _, window = serve(first, now)
if not window then
  redis.call('DEL', KEYS[1])
end
return {1, window or 0}
