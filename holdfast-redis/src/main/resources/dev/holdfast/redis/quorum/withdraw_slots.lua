-- As quorum/withdraw, of a semaphore: out of the queue and out of whatever slot the claim has, and the next waiters told.
-- KEYS admission, queue, the slots from 0. ARGV admitted, owner, window.
-- {1, now, the window if any slot was reserved, those that were}

-- include parts/now
-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
local record = values[1]
-- include quorum/parts/admitted
-- include parts/owner
-- include quorum/parts/forget
forget(ARGV[2])
local counter = false
local function serve_slot(lock)
  local KEYS = {lock, KEYS[2]}
  -- include quorum/parts/serve
  return serve(redis.call('LPOP', KEYS[2]), ARGV[3], now)
end

local waiting, reserved, served = redis.call('LLEN', KEYS[2]), 0, {}
for i = 3, #KEYS do
  if values[i] and owner_of(values[i]) == ARGV[2] then
    redis.call('DEL', KEYS[i])
    values[i] = false
  end
  if not values[i] and waiting > 0 then
    local told = serve_slot(KEYS[i])
    if told > 0 then
      reserved = math.max(reserved, told)
      served[#served + 1] = i - 3
    end
    waiting = redis.call('LLEN', KEYS[2])
  end
end
return {1, now, reserved, served}
