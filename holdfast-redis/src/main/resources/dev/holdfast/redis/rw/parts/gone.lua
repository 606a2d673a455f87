-- A writer that waits keeps the readers behind it out, while others read. So it must not have gone: the one in front says every few
-- seconds, with its look, that it is still there. Whoever finds another name there gives that one its time to say so.
-- KEYS seen: owner, and when in ms. In: KEYS of each step; at. Out: gone().
local function gone(seen, owner)
  local who, when = string.match(redis.call('MGET', seen)[1] or '', '^(%S+) (%d+)$')
  if who ~= owner then
    redis.call('SET', seen, owner .. ' ' .. at, 'PX', 60000)
    return false
  end
  -- Either way: a clock that was set back must not let it stay.
  return math.abs(at - when) > 10000
end
