-- What a node remembers, for the readmission of another. KEYS admission, and the counters of all buckets. ARGV identity.
-- {1 admitted | -3 not, now, the record, the counters}

-- include parts/clock
-- include quorum/parts/node
local values = redis.call('MGET', unpack(KEYS))
local record = table.remove(values, 1)
return {max_lease(record) and 1 or UNADMITTED, clock(), record or '', values}
