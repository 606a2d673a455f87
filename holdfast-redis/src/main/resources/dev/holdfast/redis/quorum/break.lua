-- Ends somebody's tenure here, but only that of the owner that was seen; then as release.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, window.
-- {1 if it was that owner's, now, the window if it was reserved, the lock value, remaining milliseconds}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
-- include quorum/parts/serve
if owner_of(held) ~= ARGV[2] then
  return {0, now, 0, false, 0}
end
local remaining = redis.call('PTTL', KEYS[1])
redis.call('DEL', KEYS[1])
return {1, now, serve(redis.call('LPOP', KEYS[2]), ARGV[3], now), held, remaining}
