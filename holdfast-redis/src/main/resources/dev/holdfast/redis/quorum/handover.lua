-- A reservation should be over by now: if nobody has come, the next waiter is told.
-- KEYS lock, queue, fence, admission. ARGV admitted, window.
-- {1, now, the window if it was reserved}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include quorum/parts/serve
return {1, now, held and 0 or serve(redis.call('LPOP', KEYS[2]), ARGV[2], now)}
