-- Takes a claim back: out of the queue, and released if it was granted in the meantime.
-- KEYS lock, queue, fence. ARGV context, owner, the queue entry (empty: look for it).
-- {1 if it was granted, the window if it was handed over}

-- include parts/owner
if ARGV[3] ~= '' then
  redis.call('LREM', KEYS[2], 0, ARGV[3])
else
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if owner_of(entry) == ARGV[2] then
      redis.call('LREM', KEYS[2], 0, entry)
    end
  end
end
-- include parts/read
if owner_of(held) ~= ARGV[2] then
  return {0, 0}
end

-- include parts/now
-- include parts/queue
-- include parts/giveup
return {1, give_up(now)}
