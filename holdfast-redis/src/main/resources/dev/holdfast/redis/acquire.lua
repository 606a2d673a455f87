-- Takes the lock if it is free and nobody else is in front; otherwise queues, if asked to.
-- KEYS lock, queue, fence. ARGV window, run_id, and the claim.
-- {1, now, token, tokens, kept} | {0, now, retry, place, kept, handed, holder} | {-1, now, handed}
-- kept: the claim was found in the queue, or holding. handed: the window, if the lock went to somebody else just now.

local now = clock()
-- The client has stopped waiting for this request and may have withdrawn: a grant now would be held by nobody.
if is_late(now) then
  return {LATE, now, 0}
end
local held = read()
if held then
  return busy(held, now, 0)
end
local kept = 0
if redis.call('LLEN', KEYS[2]) > 0 then
  -- The holder expired and its waiters have not come yet. Who is new does not overtake them.
  local value, window, lease, met = serve(now, ARGV[3])
  if value then
    return busy(value, now, window, lease)
  end
  kept = met and 1 or 0
end
return {GRANTED, now, grant(now, 'NX'), tonumber(ARGV[5]), kept}
