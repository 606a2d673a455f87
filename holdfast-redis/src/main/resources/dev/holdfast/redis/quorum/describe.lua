-- Whose vote is where. KEYS admission, and locks. ARGV admitted.
-- {1, now, and for each: {lock value or nil, remaining milliseconds}}. Remaining is -2 where there is no such key; with no
-- value, any other number means that the key is of another type.

-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
local record = values[1]
-- include quorum/parts/admitted
-- include parts/now
local states = {1, now}
for i = 2, #KEYS do
  states[i + 1] = {values[i], redis.call('PTTL', KEYS[i])}
end
return states
