-- A reservation should be over by now: if nobody has come, the next waiter is told.
-- KEYS lock, queue, fence, admission. ARGV identity, window.
-- {1, now, the window if it was reserved}

-- include parts/clock
-- include quorum/parts/node
-- include quorum/parts/vote
-- include quorum/parts/serve
local held, longest, record = read()
if not longest then
  return unadmitted(record)
end
local now = clock()
return {1, now, held and 0 or serve(redis.call('LPOP', KEYS[2]), ARGV[2], now)}
