-- The first admission of a new node, by somebody who states that no lease can exist. Refuses where anything is there.
-- KEYS admission, and the counters of all buckets. ARGV admitted, longest lease, 'look' to look only.
-- {1, now} | {0, now, what is there}

-- include parts/now
local values = redis.call('MGET', unpack(KEYS))
if values[1] then
  return {0, now, values[1]}
end
for i = 2, #KEYS do
  if values[i] then
    return {0, now, KEYS[i]}
  end
end
if ARGV[3] ~= 'look' then
  redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2])
end
return {1, now}
