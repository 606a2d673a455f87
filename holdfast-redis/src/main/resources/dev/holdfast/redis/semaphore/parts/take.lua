-- In: KEYS[1], the queue. Out: take().
local SLOTS = '^%S+ %S+ %d+ %d+ [01] (%d+) '

-- Takes the first out of the queue whose slots cover this one; what is no entry of ours, too.
local function take(slot)
  local entry = redis.call('LPOP', KEYS[1])
  local slots = entry and string.match(entry, SLOTS)
  if not slots or tonumber(slots) > slot then
    return entry
  end
  -- It counts with fewer slots. It stays the first, and somebody behind it may have this one.
  if redis.call('LPUSH', KEYS[1], entry) == 1 then
    -- The list was gone for a moment, and its expiry with it.
    redis.call('PEXPIRE', KEYS[1], 2 * string.match(entry, '^%S+ %S+ (%d+) ') + 60000)
    return nil
  end
  for _, next in ipairs(redis.call('LRANGE', KEYS[1], 1, -1)) do
    slots = string.match(next, SLOTS)
    if not slots or tonumber(slots) > slot then
      redis.call('LREM', KEYS[1], 1, next)
      return next
    end
  end
end
