-- What every script may use; put in front of each of them. KEYS[3] is the counter of the bucket, where there is one.
-- Times are microseconds of the server's clock, leases and windows milliseconds.

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Lua's own conversion keeps 14 digits, a token has 16.
local function text(number)
  return string.format('%.0f', number)
end

local function foreign(key)
  error('HOLDFAST-FOREIGN ' .. key, 0)
end

-- The bucket's counter, as read, and raised by every block reserved here.
local counter

-- Reserves a block of tokens and returns the last of them, which is at least 'floor': a clock, that carries the order
-- over a counter that was lost, or restored from an older copy. The counter carries it over a clock that stands still or
-- steps back.
local function reserve(tokens, floor)
  if counter and not string.find(counter, '^%d+$') then
    foreign(KEYS[3])
  end
  local last = math.max((tonumber(counter) or 0) + tokens, floor)
  -- From here on doubles skip numbers: refuse, never wrap.
  if last >= 9007199254740992 then
    error('HOLDFAST-EXHAUSTED ' .. KEYS[3], 0)
  end
  -- GET makes SET refuse a key of another type instead of overwriting it.
  counter = text(last)
  redis.call('SET', KEYS[3], counter, 'GET')
  return counter
end

local function owner_of(value)
  return value and string.match(value, '^%S+')
end

-- Never shorten: requests can overtake each other. Redis 7 compares by itself.
local function extend(key, lease)
  if redis.REDIS_VERSION_NUM then
    redis.call('PEXPIRE', key, lease, 'GT')
  elseif redis.call('PTTL', key) < tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
  end
end
