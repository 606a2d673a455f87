-- Put in front of a guarded write: lets only the newest token seen for this key pass, or a newer one, and remembers it.
-- KEYS guard, data. ARGV token, and what the write needs.

local seen = redis.call('GET', KEYS[1])
-- Digits without leading zeros: the longer is the larger. As Lua numbers they would lose their last digits beyond 2^53.
if seen and (#seen > #ARGV[1] or (#seen == #ARGV[1] and seen > ARGV[1])) then
  return redis.error_reply('HOLDFAST-STALE ' .. seen)
end
if seen ~= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1])
end
