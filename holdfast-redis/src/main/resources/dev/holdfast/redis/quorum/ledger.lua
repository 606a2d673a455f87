-- What a node remembers, for the readmission of another. KEYS admission, and the counters of all buckets. ARGV admitted.
-- {1 admitted | -3 not, now, the record, the counters}

-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
local record = table.remove(values, 1)
-- include quorum/parts/longest
-- include parts/now
return {longest and 1 or UNADMITTED, now, record or '', values}
