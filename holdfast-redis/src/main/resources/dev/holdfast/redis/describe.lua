-- Who holds these names, and who waits. KEYS lock and queue of each.
-- For each: {lock value or nil, remaining milliseconds, queue entries}

local states = {}
for i = 1, #KEYS, 2 do
  -- MGET, because a key of another type reads as nil there and must not spoil a whole listing.
  local value = redis.call('MGET', KEYS[i])[1]
  if value then
    states[#states + 1] = {value, redis.call('PTTL', KEYS[i]), redis.call('LRANGE', KEYS[i + 1], 0, -1)}
  else
    states[#states + 1] = {false, 0, {}}
  end
end
return states
