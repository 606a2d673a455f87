-- Takes a claim back: out of the queue, and released if it was granted in the meantime.
-- KEYS lock, queue, fence. ARGV context, owner, the queue entry (empty: look for it).
-- {1 if it was granted, the window if it was handed over}

-- include parts/clock
-- include parts/lock
-- include parts/owner
-- include parts/tokens
-- include parts/queue
-- include parts/giveup
if ARGV[3] ~= '' then
  redis.call('LREM', KEYS[2], 0, ARGV[3])
else
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if owner_of(entry) == ARGV[2] then
      redis.call('LREM', KEYS[2], 0, entry)
    end
  end
end
local held = read()
if owner_of(held) ~= ARGV[2] then
  return {0, 0}
end
return {1, give_up()}
