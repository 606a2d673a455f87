-- Ends a tenure and hands the lock to the next waiter.
-- KEYS lock, queue, fence. ARGV window, run_id, owner.
-- {1 if it was ours, the window if it was handed over}

local held = read()
-- Compare before delete: once our lease lapsed, this key may be someone else's.
if owner_of(held) ~= ARGV[3] then
  return {0, 0}
end
return {1, give_up()}
