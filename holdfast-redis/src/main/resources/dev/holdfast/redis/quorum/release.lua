-- Ends a tenure here. A node that has waiters, and whose lock is now absent, reserves itself for the next of them.
-- KEYS lock, queue, fence, admission. ARGV identity, owner, window.
-- 0 if it was not ours | 1 | {1 if it was ours, now, the window if it was reserved}

-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
local ours = owner_of(held) == ARGV[2]
if held and not ours then
  return 0
end
if ours then
  redis.call('DEL', KEYS[1])
end
local first = redis.call('LPOP', KEYS[2])
if not first then
  return ours and 1 or 0
end

-- include parts/now
-- include quorum/parts/value
-- include quorum/parts/serve
return {ours and 1 or 0, now, serve(first, ARGV[3], now)}
