-- Who holds these names, and who waits. KEYS lock and queue of each.
-- For each: {lock value or nil, remaining milliseconds, queue entries, and 1 if its queue is none}. Remaining is -2 where
-- there is no such key; with no value, any other number means that the key is of another type.

local states = {}
for i = 1, #KEYS, 2 do
  -- MGET, because a key of another type reads as nil there and must not spoil a whole listing.
  local value = redis.call('MGET', KEYS[i])[1]
  if value then
    local read, waiters = pcall(redis.call, 'LRANGE', KEYS[i + 1], 0, -1)
    states[#states + 1] = {value, redis.call('PTTL', KEYS[i]), read and waiters or {}, not read and 1 or nil}
  else
    states[#states + 1] = {false, redis.call('PTTL', KEYS[i]), {}}
  end
end
return states
