-- Which slot of a semaphore a claim is to ask all nodes for: the one that it has here, or a free one, which is reserved for
-- it. If there is none, queues, if asked to. A hint, never a vote.
-- KEYS admission, queue, the slots from 0.
-- ARGV admitted, owner, lease, window, not-after, tail, its queue entry (empty: do not queue). The tail as for quorum/acquire.
-- {1, now, slot, window, slots} | {0, now, remaining, place, holder, window, slots} | {-1, now}; at the end for how long which other
-- slots were reserved for those who wait in front, as a list.

-- include parts/now
-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
local record = values[1]
-- include quorum/parts/admitted
-- Its client has stopped waiting for this request: a place or a reservation now would be nobody's.
if now > tonumber(ARGV[5]) then
  return {LATE, now}
end
-- include parts/owner
-- include quorum/parts/forget
local owner, lease, window, tail = ARGV[2], ARGV[3], math.min(tonumber(ARGV[4]), tonumber(ARGV[3])), ARGV[6]
local counter = false
local function serve_slot(lock, first)
  local KEYS = {lock, KEYS[2]}
  -- include quorum/parts/serve
  return serve(first, window, now, owner)
end

-- A claim has one slot at most: that of a turn that it has not heard of yet, or of a round whose undo is under way.
local mine, free, reserved, served = false, false, 0, {}
for i = 3, #KEYS do
  mine = mine or values[i] and owner_of(values[i]) == owner and i
end
local waiting = redis.call('LLEN', KEYS[2])
for i = 3, mine and 0 or #KEYS do
  if not values[i] then
    local told = 0
    if waiting > 0 then
      told = serve_slot(KEYS[i], redis.call('LPOP', KEYS[2]))
      waiting = redis.call('LLEN', KEYS[2])
    end
    if told == 0 then
      free = free or i
    elseif told < 0 then
      mine = i
      forget(owner)
    else
      reserved = math.max(reserved, told)
      served[#served + 1] = i - 3
    end
    if (free or mine) and waiting == 0 then
      break
    end
  end
end
if free and not mine then
  mine = free
  local round, token, tokens = 0, 0, 0
  -- include parts/since
  -- include quorum/parts/value
  if not redis.call('SET', KEYS[mine], value, 'PX', window, 'NX') then
    -- It read as absent and yet something is there: it is not a string.
    error('HOLDFAST-FOREIGN ' .. KEYS[mine], 0)
  end
end
if mine then
  if waiting > 0 then
    forget(owner)
  end
  return {GRANTED, now, mine - 3, reserved, served}
end

-- include quorum/parts/enqueue
-- include parts/correct
local remaining, holder = false, ''
for i = 3, #KEYS do
  local stored, text = string.match(values[i] or '', '^%S+ %d+ %d+ %d+ %d+ (%d+) %a%S* %S+ (.*)$')
  local left = redis.call('PTTL', KEYS[i])
  left = stored and correct(KEYS[i], left, stored) or left
  if left >= 0 and (not remaining or left < remaining) then
    remaining, holder = left, text or holder
  end
end
if not remaining then
  error('HOLDFAST-FOREIGN ' .. KEYS[3], 0)
end
local place = ARGV[7] ~= '' and enqueue(ARGV[7], lease, remaining) or 0
return {BUSY, now, remaining, place, holder, reserved, served}
