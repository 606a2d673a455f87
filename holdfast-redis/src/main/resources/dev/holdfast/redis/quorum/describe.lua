-- Whose vote is where. KEYS admission, and locks. ARGV identity.
-- {1, now, and for each: {lock value or nil, remaining milliseconds}}

-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
if not max_lease(values[1]) then
  return unadmitted(values[1])
end
-- include parts/now
local states = {1, now}
for i = 2, #KEYS do
  states[i + 1] = values[i] and {values[i], redis.call('PTTL', KEYS[i])} or {false, 0}
end
return states
