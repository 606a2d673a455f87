-- Takes a claim back for good: out of the queue, its vote or its reservation given up, the next waiter told.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, window.
-- {1, now, the window if it was reserved}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
-- include quorum/parts/forget
-- include quorum/parts/serve
forget(ARGV[2])
if held and owner_of(held) ~= ARGV[2] then
  return {1, now, 0}
end
if held then
  redis.call('DEL', KEYS[1])
end
return {1, now, serve(redis.call('LPOP', KEYS[2]), ARGV[3], now)}
