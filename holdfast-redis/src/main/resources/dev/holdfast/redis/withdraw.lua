-- Takes a claim back: out of the queue, and released if it was granted in the meantime.
-- KEYS lock, queue, fence. ARGV context, owner, the queue entry (empty: look for it).
-- {1 if it was granted, the window if it was handed over}

-- include parts/owner
local queue = KEYS[2]
-- include parts/leave
-- include parts/read
if owner_of(held) ~= ARGV[2] then
  return {0, 0}
end

-- include parts/now
-- include parts/queue
-- include parts/giveup
return {1, give_up(now)}
