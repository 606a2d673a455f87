-- From here on this node grants leases of that length: whoever readmits another node has to wait so long.
-- KEYS admission. ARGV admitted, milliseconds.
-- {1, now, the longest lease}

-- include quorum/parts/node
local record = redis.call('MGET', KEYS[1])[1]
-- include quorum/parts/admitted
if tonumber(ARGV[2]) > longest then
  longest = tonumber(ARGV[2])
  redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2] .. string.match(record, '^%d+(.*)$', #ARGV[1] + 1))
end
-- include parts/now
return {1, now, longest}
