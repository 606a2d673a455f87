-- The claim window of a hand-over should be over: if nobody claimed the lock, it is absent, and the next one is served.
-- KEYS lock, queue, fence. ARGV context.
-- {the window if it was handed over, milliseconds after which to look again, or 0}

-- include parts/clock
-- include parts/lock
-- include parts/tokens
-- include parts/queue
local now = clock()
local held = read()
if held then
  local _, _, _, since, lease = string.match(held, LOCK)
  local ends = since and since + 1000 * math.min(tonumber(CLAIM_WINDOW), tonumber(lease)) or 0
  -- Present after its window means claimed. Before that nobody can tell.
  return {0, math.max(0, math.ceil((ends - now) / 1000))}
end
local _, window = serve(redis.call('LPOP', KEYS[2]), now)
return {window or 0, window or 0}
