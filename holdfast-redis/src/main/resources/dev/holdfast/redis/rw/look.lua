-- Whether claims that wait to read or to write still stand where they were put, and for something. KEYS of each: rw, queue, seen.
-- ARGV our inbox (empty: not this time), what to publish to it, and the queue entry of each.
-- {who received it, and the number of each claim that had better ask again}

-- include parts/now
-- include parts/tenure
-- include parts/owner
-- include rw/parts/gone
local KIND = '^%S+ %S+ %d+ %d+ [01] (%a%S*) '
local answer = {ARGV[1] == '' and 0 or redis.call('PUBLISH', ARGV[1], ARGV[2])}

-- Whether somebody keeps this claim out, or the first in line does: who may come in asks, and lets the others in.
local function stands(rw, queue, seen, entry)
  local count, alone = 0, false
  for _, value in ipairs(redis.call('HVALS', rw)) do
    local owner, _, _, _, lease, ends, kind = string.match(value, TENURE)
    if owner == owner_of(entry) then
      -- The push is on its way, or lost.
      return false
    end
    -- More than the lease is left: the clock was set back. Whoever asks corrects that.
    if not owner or ends - at > tonumber(lease) then
      return false
    end
    if ends - at >= 0 then
      count, alone = count + 1, alone or kind ~= 'r'
    end
  end
  local place = redis.call('LPOS', queue, entry)
  if count == 0 or not place then
    return false
  end
  local first = redis.call('LINDEX', queue, 0)
  local kind = string.match(first, KIND)
  if place == 0 and kind ~= 'r' then
    redis.call('SET', seen, owner_of(entry) .. ' ' .. at, 'PX', 60000)
    return true
  end
  return alone or kind and kind ~= 'r' and not gone(seen, owner_of(first))
end

for i = 3, #ARGV do
  -- A key of another type must not spoil the look for all others; the claim for it is told what is wrong.
  local read, stood = pcall(stands, KEYS[3 * i - 8], KEYS[3 * i - 7], KEYS[3 * i - 6], ARGV[i])
  if not read or not stood then
    answer[#answer + 1] = i - 2
  end
end
return answer
