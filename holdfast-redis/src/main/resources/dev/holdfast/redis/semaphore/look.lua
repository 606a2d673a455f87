-- Whether claims that wait for slots still stand where they were put. KEYS of each: queue, and the slots from 0 on.
-- ARGV our inbox (empty: not this time), what to publish to it; of each: its queue entry, how many slots.
-- {who received it, and the number of each claim that had better ask again}

-- include parts/owner
local answer = {ARGV[1] == '' and 0 or redis.call('PUBLISH', ARGV[1], ARGV[2])}
local queue = 1
for i = 3, #ARGV, 2 do
  local entry, slots = ARGV[i], tonumber(ARGV[i + 1])
  local stands = true
  local held = redis.call('MGET', unpack(KEYS, queue + 1, queue + slots))
  for slot = 1, slots do
    -- Absent: nobody will release it. Ours: the push is on its way, or lost.
    if not held[slot] or owner_of(held[slot]) == owner_of(entry) then
      stands = false
    end
  end
  if stands then
    -- A queue of another type must not spoil the look for all others; the claim for it is told what is wrong.
    local read, at = pcall(redis.call, 'LPOS', KEYS[queue], entry)
    stands = read and at
  end
  if not stands then
    answer[#answer + 1] = (i - 1) / 2
  end
  queue = queue + slots + 1
end
return answer
