-- Who holds a read-write lock, and who waits. KEYS rw, queue.
-- {queue entries, 1 if the queue is none, 1 if there is something else where the holders should be, and the values of the holders, each
-- followed by its remaining milliseconds}

-- include parts/now
local at = math.ceil(now / 1000)
local read, waiters = pcall(redis.call, 'LRANGE', KEYS[2], 0, -1)
local found, values = pcall(redis.call, 'HVALS', KEYS[1])
local answer = {read and waiters or {}, read and 0 or 1, found and 0 or 1}
for _, value in ipairs(found and values or {}) do
  local lease, ends = string.match(value, '^%S+ %d+ %d+ %d+ (%d+) (%d+) ')
  local left = ends and math.min(ends - at, tonumber(lease)) or 0
  if left >= 0 then
    answer[#answer + 1] = value
    answer[#answer + 1] = left
  end
end
return answer
