-- The claim window of a hand-over should be over: if nobody claimed the slot, it is absent, and the next one is served.
-- KEYS queue, fence, slot. ARGV context, number of the slot.
-- {the window if it was handed over, milliseconds after which to look again, or 0}

-- include parts/now
-- include semaphore/parts/read
-- include parts/tenure
-- include semaphore/parts/take
-- include semaphore/parts/queue
if held then
  local since, lease, ends = string.match(held, '^%S+ %d+ %d+ (%d+) (%d+) (%d+) ')
  if not since then
    return {0, 0}
  end
  if ends - at > tonumber(lease) then
    -- The clock was set back.
    redis.call('PEXPIRE', KEYS[3], lease)
  end
  -- Present after its window means claimed. Before that nobody can tell; and where the clock was set back, it begins anew.
  local window = 1000 * math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
  return {0, math.max(0, math.ceil(math.min(since + window - now, window) / 1000))}
end
local slot = tonumber(ARGV[2])
local window = serve(take(slot), slot, KEYS[3]) or 0
return {window, window}
