-- One page of the names that are held. ARGV cursor, pattern, how many keys to look at.
-- {next cursor, keys}

return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
