-- Puts a claim at the end of the queue, unless it stands there. Returns its place.
-- In: KEYS lock, queue. Out: enqueue().
local function enqueue(entry, lease, retry)
  local at = redis.call('LPOS', KEYS[2], entry)
  local place = at and at + 1 or redis.call('RPUSH', KEYS[2], entry)
  -- Every waiter comes back within the holder's lease; what is older than that has no waiters any more.
  redis.call('PEXPIRE', KEYS[2], 2 * math.max(retry, tonumber(lease)) + 60000)
  return place
end
