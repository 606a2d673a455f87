-- This node may forget locks while they are held: from here on it does not vote, and what it was watched for so far does
-- not count. Its locks stay, until they expire.
-- KEYS admission. ARGV admitted, a new nonce.
-- {1, now}

-- include parts/now
local record = redis.call('MGET', KEYS[1])[1] or ''
local word, identity, longest, rest = string.match(record, '^(%a+) (%S+) (%d+)(.*)$')
if identity == string.match(ARGV[1], ' (%S+)') then
  local observed = 1
  if word == 'pending' then
    observed, rest = string.match(rest, '^ %S+ (%d+)(.*)$')
  end
  -- Somebody else may have seen the same: as long as nobody has watched it since, there is nothing to take back.
  if tonumber(observed) > 0 then
    redis.call('SET', KEYS[1], 'pending ' .. identity .. ' ' .. longest .. ' ' .. ARGV[2] .. ' 0' .. rest)
  end
end
return {1, now}
