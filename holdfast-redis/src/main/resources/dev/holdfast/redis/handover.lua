-- The claim window of a hand-over should be over: if nobody claimed the lock, it is absent, and the next one is served.
-- KEYS lock, queue, fence. ARGV context.
-- {the window if it was handed over, milliseconds after which to look again, or 0}

-- include parts/now
-- include parts/read
-- include parts/queue
if held then
  local since, lease = string.match(held, '^%S+ %d+ %d+ (%d+) (%d+) ')
  if not since then
    return {0, 0}
  end
  -- include parts/correct
  correct(KEYS[1], redis.call('PTTL', KEYS[1]), lease)
  -- Present after its window means claimed. Before that nobody can tell; and where the clock was set back, it begins anew.
  local window = 1000 * math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
  return {0, math.max(0, math.ceil(math.min(since + window - now, window) / 1000))}
end
local _, window = serve(redis.call('LPOP', KEYS[2]), now)
return {window or 0, window or 0}
