-- A claim at one server: ARGV context, owner, lease, tokens, holder, not-after.

local LATE, BUSY, GRANTED = -1, 0, 1

-- The client has stopped waiting for this request and may have withdrawn: a grant now would be held by nobody.
local function is_late(now)
  return now > tonumber(ARGV[6])
end

-- Grants the claim and returns its token.
local function grant(now, ...)
  local token, number = reserve(tonumber(ARGV[4]), now)
  local value = lock_value(ARGV[2], token, ARGV[4], now, ARGV[3], ARGV[5])
  if not redis.call('SET', KEYS[1], value, 'PX', ARGV[3], ...) then
    -- It read as absent and yet something is there: it is not a string.
    foreign(KEYS[1])
  end
  return number
end
