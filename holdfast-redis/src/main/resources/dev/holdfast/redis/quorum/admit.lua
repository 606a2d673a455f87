-- Lets a node vote again: it has been watched for long enough, and gets the counters that the others remember.
-- KEYS admission, and the counters of all buckets. ARGV admitted, nonce, longest lease, milliseconds it must have been
-- watched, the version of its list, and for each bucket the least its counter may be.
-- {1, now} | {-3, now, the record}

-- include quorum/parts/node
-- include parts/now
local values = redis.call('MGET', unpack(KEYS))
local identity, _, nonce, observed, version, servers =
  string.match(values[1] or '', '^pending (%S+) (%d+) (%S+) (%d+) (%d+) (%S+)$')
if identity ~= string.match(ARGV[1], ' (%S+)') or nonce ~= ARGV[2] or tonumber(observed) < tonumber(ARGV[4]) then
  return {UNADMITTED, now, values[1] or ''}
end
for i = 2, #KEYS do
  if tonumber(ARGV[i + 4]) > (tonumber(values[i]) or 0) then
    redis.call('SET', KEYS[i], ARGV[i + 4], 'GET')
  end
end
version = string.format('%.0f', math.max(tonumber(version), tonumber(ARGV[5])))
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[3] .. ' ' .. version .. ' ' .. servers)
return {1, now}
