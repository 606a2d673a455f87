-- Takes a claim out of the queue. In: queue (its key); ARGV[2], its owner; ARGV[3], its entry (empty: look for it); owner_of().
if ARGV[3] ~= '' then
  redis.call('LREM', queue, 0, ARGV[3])
else
  for _, entry in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    if owner_of(entry) == ARGV[2] then
      redis.call('LREM', queue, 0, entry)
    end
  end
end
