-- Takes a claim back for good: out of the queue, its vote or its reservation given up, the next waiter told.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, window, 'place' if a vote is to be left alone: then the claim
-- may be in use, and only its place and its reservation are given up, which are worth nothing to anybody who has the lock.
-- {1, now, the window if it was reserved}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
-- include quorum/parts/forget
-- include quorum/parts/serve
forget(ARGV[2])
if held and (owner_of(held) ~= ARGV[2] or (ARGV[4] == 'place' and not string.find(held, '^%S+ %d+ 0 '))) then
  return {1, now, 0}
end
if held then
  redis.call('DEL', KEYS[1])
end
return {1, now, serve(redis.call('LPOP', KEYS[2]), ARGV[3], now)}
