-- Ends a tenure here. A node that has waiters, and whose lock is now absent, reserves itself for the next of them.
-- KEYS lock, queue, fence, admission. ARGV identity, owner, window.
-- {1 if it was ours, now, the window if it was reserved}

local held, longest, record = read()
if not longest then
  return unadmitted(record)
end
local now = clock()
local ours = owner_of(held) == ARGV[2]
if held and not ours then
  return {0, now, 0}
end
if ours then
  redis.call('DEL', KEYS[1])
end
return {ours and 1 or 0, now, serve(ARGV[3], now)}
