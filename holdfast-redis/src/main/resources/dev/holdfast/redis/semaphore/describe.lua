-- Who holds slots of a semaphore, and who waits. KEYS queue, slots.
-- {queue entries, 1 if the queue is none, and of each slot that is there: its place among the keys, its value or nil if it is no text,
-- remaining milliseconds}

local read, waiters = pcall(redis.call, 'LRANGE', KEYS[1], 0, -1)
local answer = {read and waiters or {}, read and 0 or 1}
-- MGET, because a key of another type reads as nil there and must not spoil a whole listing.
for i, value in ipairs(redis.call('MGET', unpack(KEYS, 2))) do
  local left = redis.call('PTTL', KEYS[i + 1])
  if left ~= -2 then
    answer[#answer + 1] = {i, value, left}
  end
end
return answer
