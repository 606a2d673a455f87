-- In: queue (its key); ARGV of acquire; ENTRY (its queue entry), former (that under an earlier inbox, or nil). Out: enqueue().

-- Puts the claim at the end of the queue, unless it stands there; if it stands there with the inbox of an earlier
-- connection ('former', the whole entry), it keeps its place. Returns its place, and 1 if it had one.
local function enqueue(stands_nowhere, retry)
  local at = not stands_nowhere and redis.call('LPOS', queue, ENTRY)
  if former and not at then
    at = redis.call('LPOS', queue, former)
    if at then
      redis.call('LSET', queue, at, ENTRY)
    end
  end
  local place = at and at + 1 or redis.call('RPUSH', queue, ENTRY)
  -- Every waiter comes back within the holder's lease; what is older than that has no waiters any more.
  redis.call('PEXPIRE', queue, 2 * math.max(retry, tonumber(ARGV[3])) + 60000)
  return place, at and 1 or 0
end
