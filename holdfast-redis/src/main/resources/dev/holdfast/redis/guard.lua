-- Put in front of a guarded write: lets only the newest token seen for this key pass, or a newer one, and remembers it.
-- KEYS guard, data. ARGV token, and what the write needs.
-- A token is digits; after a move its generation and a colon stand before them, in the guard and in ARGV alike.

local seen = redis.call('GET', KEYS[1])
-- What is no token cannot be compared. Something newer may have stood there, so nothing passes.
if seen and not string.match(seen, '^%d+$') and not string.match(seen, '^%d+:%d+$') then
  return redis.error_reply("HOLDFAST-FOREIGN '" .. string.gsub(string.sub(seen, 1, 60), '%c', ' ') .. "'")
end
-- Another generation is another lock store: the two numbers have nothing to do with each other.
if seen and string.match(seen, '^%d+:') ~= string.match(ARGV[1], '^%d+:') then
  return redis.error_reply('HOLDFAST-GENERATION ' .. seen)
end
-- Digits without leading zeros: the longer is the larger. As Lua numbers they would lose their last digits beyond 2^53.
if seen and (#seen > #ARGV[1] or (#seen == #ARGV[1] and seen > ARGV[1])) then
  return redis.error_reply('HOLDFAST-STALE ' .. seen)
end
if seen ~= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1])
end
