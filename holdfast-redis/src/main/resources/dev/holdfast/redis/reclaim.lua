-- Ends a tenure, and claims the next one for another owner of the same process: behind everybody who waits.
-- KEYS lock, queue, fence. ARGV as acquire up to its queue entry (empty: do not queue), and the owner to release. Answers as acquire; {-1, now, handed}

-- include parts/now
-- include parts/read
-- include parts/owner
-- include parts/rearm
-- include parts/queue
-- include parts/giveup
local former
-- include parts/busy
local ours = owner_of(held) == ARGV[8]
if now > tonumber(ARGV[6]) then
  -- Too late to claim; it is never too late to let go.
  return {-1, now, ours and give_up(now) or 0}
end
if held and not ours then
  return busy(held, now, 0)
end
-- What was ours cannot be a repeated request, so the claim does not stand in the queue yet.
local served, window, longest, met = serve(redis.call('LPOP', KEYS[2]), now, not ours and ARGV[2] or nil)
if served then
  return busy(served, now, window, longest, ours)
end
-- include parts/grant
return {1, now, last, tonumber(tokens), (ours or met) and 1 or 0}
