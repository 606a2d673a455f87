-- Ends a tenure, and claims the next one for another owner of the same process: behind everybody who waits.
-- KEYS lock, queue, fence. ARGV as acquire, and the owner to release. Answers as acquire; {-1, now, handed}

-- include parts/clock
-- include parts/lock
-- include parts/owner
-- include parts/tokens
-- include parts/claim
-- include parts/extend
-- include parts/queue
-- include parts/giveup
-- include parts/busy
local now = clock()
local held = read()
local ours = owner_of(held) == ARGV[7]
if is_late(now) then
  -- Too late to claim; it is never too late to let go.
  return {LATE, now, ours and give_up(now) or 0}
end
if held and not ours then
  return busy(held, now, 0)
end
-- What was ours cannot be a repeated request, so the claim does not stand in the queue yet.
local value, window, lease, met = serve(redis.call('LPOP', KEYS[2]), now, not ours and ARGV[2] or nil)
if value then
  return busy(value, now, window, lease, ours)
end
if ours then
  return {GRANTED, now, grant(now), tonumber(ARGV[4]), 1}
end
return {GRANTED, now, grant(now, 'NX'), tonumber(ARGV[4]), met and 1 or 0}
