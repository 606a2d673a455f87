-- The lock of one server: owner token tokens since lease pid host description

local LOCK = '^(%S+) (%d+) (%d+) (%d+) (%d+) (.*)$'
-- Of the bucket: as read, and raised by every block of tokens reserved here.
local counter

-- The lock value, or false. A key of another type reads as absent.
local function read()
  local both = redis.call('MGET', KEYS[1], KEYS[3])
  counter = both[2]
  return both[1]
end

-- Lua's own conversion of numbers keeps 14 digits, a time has 16.
local function lock_value(owner, token, tokens, now, lease, holder)
  return string.format('%s %s %s %.0f %s %s', owner, token, tokens, now, lease, holder)
end

