-- Whether claims that wait still stand where they were put. KEYS lock and queue of each.
-- ARGV our inbox (empty: not this time), what to publish to it, and the queue entry of each.
-- {who received it, and the number of each claim that had better ask again}

-- include parts/owner
local answer = {ARGV[1] == '' and 0 or redis.call('PUBLISH', ARGV[1], ARGV[2])}
local locks = {}
for i = 1, #KEYS, 2 do
  locks[#locks + 1] = KEYS[i]
end
for i, held in ipairs(redis.call('MGET', unpack(locks))) do
  local entry = ARGV[i + 2]
  local stands = false
  -- Absent: nobody will release it. Ours: the push is on its way, or lost.
  if held and owner_of(held) ~= owner_of(entry) then
    -- A queue of another type must not spoil the look for all others; the claim for it is told what is wrong.
    local read, at = pcall(redis.call, 'LPOS', KEYS[2 * i], entry)
    stands = read and at
  end
  if not stands then
    answer[#answer + 1] = i
  end
end
return answer
