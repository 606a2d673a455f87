-- Whether this node votes, and what its clock shows. KEYS admission. ARGV admitted.
-- {1, now, the longest lease} | {-3, now, the record}

-- include quorum/parts/node
local record = redis.call('MGET', KEYS[1])[1]
-- include quorum/parts/admitted
-- include parts/now
return {1, now, longest}
