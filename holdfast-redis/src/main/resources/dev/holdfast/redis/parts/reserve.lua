-- Reserves a block of 'tokens', from 'counter', that of the bucket, which stands in 'fence'. The last of them, 'token' as
-- text and 'last' as a number, is at least 'floor': a clock, that carries the order over a counter that was lost, or
-- restored from an older copy. The counter carries it over a clock that stands still or steps back.
if counter and not string.find(counter, '^%d+$') then
  error('HOLDFAST-FOREIGN ' .. fence, 0)
end
local last = math.max((tonumber(counter) or 0) + tokens, floor)
-- From here on doubles skip numbers: refuse, never wrap.
if last >= 9007199254740992 then
  error('HOLDFAST-EXHAUSTED ' .. fence, 0)
end
-- Lua's own conversion keeps 14 digits, a token has 16.
local token = string.format('%.0f', last)
if counter then
  redis.call('SET', fence, token)
else
  -- GET makes SET refuse a key of another type, which read as absent, instead of overwriting it.
  redis.call('SET', fence, token, 'GET')
end
counter = token
