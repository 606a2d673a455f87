-- The first admission of a new node, by somebody who states that no lease can exist. Refuses where anything is there.
-- In steps, each on all nodes before the next: two callers with different lists must not both get a majority. 'look' changes
-- nothing, 'claim' binds an empty node to the list, 'admit' lets it vote, 'undo' takes the claim back.
-- KEYS admission, and the counters of all buckets. ARGV admitted, longest lease, step, nonce of the call, the list.
-- {1, now} | {0, now, what is there}

-- include parts/now
local values = redis.call('MGET', unpack(KEYS))
local record, step = values[1], ARGV[3]
if step == 'admit' or step == 'undo' then
  if not record or string.match(record, '^pending %S+ %d+ (%S+)') ~= ARGV[4] then
    return {0, now, record or ''}
  end
  if step == 'admit' then
    redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2] .. ' 1 ' .. ARGV[5])
  else
    redis.call('DEL', KEYS[1])
  end
  return {1, now}
end
if record then
  return {0, now, record}
end
for i = 2, #KEYS do
  if values[i] then
    return {0, now, KEYS[i]}
  end
end
if step == 'claim' then
  local identity = string.match(ARGV[1], ' (%S+)')
  redis.call('SET', KEYS[1], 'pending ' .. identity .. ' ' .. ARGV[2] .. ' ' .. ARGV[4] .. ' 0 0 ' .. ARGV[5])
end
return {1, now}
