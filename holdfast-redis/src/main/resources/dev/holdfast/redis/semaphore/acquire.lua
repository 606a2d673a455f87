-- Takes a free slot that nobody in front could take; otherwise queues, if asked to.
-- KEYS queue, fence, and the slots from 0 on. ARGV as acquire; the queue entry says how many slots there are, too.
-- '1 now token tokens 0 slot' | {1, now, token, tokens, kept, slot, handed, the slots that were}
-- {0, now, retry, place, kept, handed, holder, the slots that were} | {-1, now}
-- kept: the claim was found in the queue, or holding. handed: the longest window, if slots went to others just now.

-- include parts/now
-- The client has stopped waiting for this request and may have withdrawn: a grant now would be held by nobody.
if now > tonumber(ARGV[6]) then
  return {-1, now}
end
local values = redis.call('MGET', unpack(KEYS, 2))
local counter = values[1]
-- include parts/tenure
local ours, free = ARGV[2] .. ' ', {}
for i = 3, #KEYS do
  local value = values[i - 1]
  if not value then
    free[#free + 1] = i - 3
  elseif string.sub(value, 1, #ours) == ours then
    -- The claim was granted before, and its answer or its push is still on the way or lost: the same grant again. Whatever
    -- else is free is for others.
    local again, left = rearmed(value, ARGV[3])
    if again then
      redis.call('SET', KEYS[i], again, 'PX', left)
      local token, tokens = string.match(value, '^%S+ (%d+) (%d+) ')
      return {1, now, tonumber(token), tonumber(tokens), 1, i - 3}
    end
  end
end
-- Not by taking the first one out: a full server refuses memory only to a script that has not written yet.
if free[1] and redis.call('LLEN', KEYS[1]) == 0 then
  local slot = free[1]
  -- include semaphore/parts/grant
  return '1 ' .. since .. ' ' .. token .. ' ' .. tokens .. ' 0 ' .. slot
end

-- include semaphore/parts/take
-- include semaphore/parts/queue
-- Slots whose holders expired, and whose waiters have not come yet. Who is new does not overtake them.
local slot, met, handed, window = nil, false, {}, 0
local retry, holder
for _, each in ipairs(free) do
  local given, lease, who = serve(take(each), each, KEYS[each + 3], not slot and ARGV[2])
  if given then
    handed[#handed + 1] = each
    window = math.max(window, given)
    if not retry or lease < retry then
      retry, holder = lease, who
    end
  elseif not slot then
    slot, met = each, lease == MET
  end
end
if slot then
  -- include semaphore/parts/grant
  return {1, now, last, tonumber(tokens), met and 1 or 0, slot, window, unpack(handed)}
end

for i = 3, #KEYS do
  local value = values[i - 1]
  if value then
    local _, _, _, _, lease, ends, kind, who = string.match(value, TENURE)
    local left = ends and ends - at
    -- We never write one without an expiry: what is there long after its end is not ours, or somebody took that off.
    if not left or left < -1000 then
      error('HOLDFAST-FOREIGN ' .. KEYS[i], 0)
    end
    if left > tonumber(lease) then
      -- The clock was set back. Only the end is touched where the kind is not ours.
      left = tonumber(lease)
      local corrected = rearmed(value, lease)
      if corrected then
        redis.call('SET', KEYS[i], corrected, 'PX', lease)
      else
        redis.call('PEXPIRE', KEYS[i], lease)
      end
    end
    if not retry or left < retry then
      retry, holder = math.max(left, 0), who
    end
  end
end
local place, kept = 0, 0
local ENTRY, former = ARGV[7] or '', ARGV[8]
if ENTRY ~= '' then
  local queue = KEYS[1]
  -- include parts/enqueue
  place, kept = enqueue(false, retry)
end
return {0, now, retry, place, kept, window, holder, unpack(handed)}
