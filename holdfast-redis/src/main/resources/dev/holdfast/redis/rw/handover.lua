-- A claim window, or the time for which a lock was kept, should be over: lets in who may come in now.
-- KEYS rw, queue, fence, seen. ARGV context.
-- {the longest window if others were let in, milliseconds after which to look again, or 0}

if redis.call('LLEN', KEYS[2]) == 0 then
  return {0, 0}
end
-- include parts/now
-- include parts/tenure
-- include rw/parts/holders
local counter = redis.call('MGET', KEYS[3])[1]
-- include rw/parts/queue
local again = 0
for _, value in pairs(held) do
  -- One that is there after its window was claimed. Before that nobody can tell; and where the clock was set back, it begins anew.
  local since, lease = string.match(value, '^%S+ %d+ %d+ (%d+) (%d+) ')
  local window = 1000 * math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
  again = math.max(again, math.ceil(math.min(since + window - now, window) / 1000))
end
local window = serve()
return {window, math.max(window, again)}
