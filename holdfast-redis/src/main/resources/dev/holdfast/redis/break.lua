-- Ends somebody's tenure, but only that of the owner that was seen, and hands over like a release.
-- KEYS lock, queue, fence. ARGV context, owner.
-- {lock value or nil, remaining milliseconds, queue entries, the window if it was handed over}

-- include parts/now
-- include parts/read
-- include parts/owner
-- include parts/queue
-- include parts/giveup
if owner_of(held) ~= ARGV[2] then
  return {false, 0, {}, 0}
end
local remaining = redis.call('PTTL', KEYS[1])
local waiters = redis.call('LRANGE', KEYS[2], 0, -1)
return {held, remaining, waiters, give_up(now)}
