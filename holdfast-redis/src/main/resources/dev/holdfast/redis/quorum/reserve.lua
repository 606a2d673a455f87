-- At most one caller at a time replaces a server: takes this node for one of them, or gives it back. It expires by itself, so
-- that a caller who dies keeps nobody away for long. Votes are not touched.
-- KEYS the reservation. ARGV nonce of the call, for how many milliseconds; 0 gives it back.
-- {1, now} | {0, now, milliseconds for which somebody else has it}

-- include parts/now
local holder = redis.call('MGET', KEYS[1])[1]
if holder and holder ~= ARGV[1] then
  return {0, now, redis.call('PTTL', KEYS[1])}
end
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif holder then
  redis.call('DEL', KEYS[1])
end
return {1, now}
