-- Put in front of a guarded write, behind guard_marks: lets only the newest token seen for this key pass, or a newer one, and
-- remembers it. What readers had is older then, or its own.
if newest and is_older(string.match(ARGV[1], '%d+$'), newest) then
  return redis.error_reply('HOLDFAST-STALE ' .. generation .. newest)
end
if seen ~= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1])
end
