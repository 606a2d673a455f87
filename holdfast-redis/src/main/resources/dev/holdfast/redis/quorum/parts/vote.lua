-- For KEYS lock, queue, fence, admission: the lock value or false, and the longest lease or nothing, and the record.
local function read()
  local values = redis.call('MGET', KEYS[1], KEYS[3], KEYS[4])
  counter = values[2]
  return values[1], max_lease(values[3]), values[3]
end

-- Lua's own conversion of numbers keeps 14 digits, a time has 16.
local function lock_value(owner, round, token, tokens, now, lease, holder)
  return string.format('%s %s %s %s %.0f %s %s', owner, round, token, tokens, now, lease, holder)
end
