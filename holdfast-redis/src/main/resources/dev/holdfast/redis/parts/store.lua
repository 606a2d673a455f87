-- Stores the end of a block as the counter of the bucket.
-- In: last, fence, counter. Out: token (last as text), counter.
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
