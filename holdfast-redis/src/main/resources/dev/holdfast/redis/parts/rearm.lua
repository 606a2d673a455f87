-- include parts/correct
-- Out: rearm(), correct(). Gives a lock with this value its lease anew. Never shorten: requests can overtake each other.
-- Answers 1, or 0 if its kind is not ours to extend.
local function rearm(key, value, lease)
  local head, stored, rest = string.match(value, '^(%S+ %d+ %d+ %d+ )(%d+)( x .*)$')
  if not stored then
    return 0
  end
  if lease == stored then
    -- The usual case. It had this lease or the shorter window before, so its end only moves on; unless the clock was
    -- set back, and then it is corrected.
    redis.call('PEXPIRE', key, lease)
  elseif tonumber(lease) < tonumber(stored) then
    if correct(key, redis.call('PTTL', key), stored) < tonumber(lease) then
      redis.call('PEXPIRE', key, lease)
    end
  else
    -- The value has to say so, or others would take the longer time for a clock that was set back.
    redis.call('SET', key, head .. lease .. rest, 'PX', lease)
  end
  return 1
end
