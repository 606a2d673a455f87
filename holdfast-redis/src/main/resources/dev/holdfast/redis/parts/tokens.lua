-- Tokens, from the counter of the bucket, KEYS[3], which was read before.

-- Lua's own conversion keeps 14 digits, a token has 16.
local function text(number)
  return string.format('%.0f', number)
end

local function foreign(key)
  error('HOLDFAST-FOREIGN ' .. key, 0)
end

-- Reserves a block of tokens and returns the last of them, which is at least 'floor': a clock, that carries the order
-- over a counter that was lost, or restored from an older copy. The counter carries it over a clock that stands still or
-- steps back. As text, and as a number.
local function reserve(tokens, floor)
  if counter and not string.find(counter, '^%d+$') then
    foreign(KEYS[3])
  end
  local last = math.max((tonumber(counter) or 0) + tokens, floor)
  -- From here on doubles skip numbers: refuse, never wrap.
  if last >= 9007199254740992 then
    error('HOLDFAST-EXHAUSTED ' .. KEYS[3], 0)
  end
  local token = text(last)
  if counter then
    redis.call('SET', KEYS[3], token)
  else
    -- GET makes SET refuse a key of another type instead of overwriting it.
    redis.call('SET', KEYS[3], token, 'GET')
  end
  counter = token
  return token, last
end
