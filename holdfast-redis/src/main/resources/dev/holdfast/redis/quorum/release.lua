-- Ends a tenure here. A node that has waiters, and whose lock is now absent, reserves itself for the next of them.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, window.
-- 0 if it was not ours | 1 | {1 if it was ours, now, the window if it was reserved}

-- include quorum/parts/node
-- include quorum/parts/read
if held and string.match(held, '^%S+') ~= ARGV[2] then
  -- include quorum/parts/missed_turn
  if not redis.call('LPOS', KEYS[2], MISSED_TURN) and redis.call('RPUSH', KEYS[2], MISSED_TURN) == 1 then
    redis.call('PEXPIRE', KEYS[2], ARGV[3])
  end
  return 0
end
local ours = held and 1 or 0
if held then
  redis.call('DEL', KEYS[1])
end
local first = redis.call('LPOP', KEYS[2])
if not first then
  return ours
end

-- include parts/now
-- include quorum/parts/serve
return {ours, now, serve(first, ARGV[3], now)}
