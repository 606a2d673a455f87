-- Ends a tenure, and claims the next one for another owner of the same process: behind everybody who waits.
-- KEYS lock, queue, fence. ARGV window, run_id, the claim, and the owner to release. Answers as acquire.

local now = clock()
local held = read()
local ours = owner_of(held) == ARGV[10]
if is_late(now) then
  -- Too late to claim; it is never too late to let go.
  return {LATE, now, ours and give_up() or 0}
end
if ours then
  -- A repeated request does not come here twice, so the claim cannot stand in the queue yet.
  local value, window, lease = serve(now)
  if value then
    return busy(value, now, window, lease, true)
  end
  return {GRANTED, now, grant(now), tonumber(ARGV[5]), 1}
end
if held then
  return busy(held, now, 0)
end
local value, window, lease, met = serve(now, ARGV[3])
if value then
  return busy(value, now, window, lease)
end
return {GRANTED, now, grant(now, 'NX'), tonumber(ARGV[5]), met and 1 or 0}
