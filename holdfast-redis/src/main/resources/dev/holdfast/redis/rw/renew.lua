-- Extends many tenures of readers and writers. KEYS their locks. ARGV for each: its owner, the beginning of its value (owner and token, so that
-- a renewal cannot touch another grant), its lease.
-- One number for each: 1 extended, 0 no longer ours

-- include parts/now
-- include parts/tenure
local answers = {}
for i, key in ipairs(KEYS) do
  local owner, ours, lease = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local read, value = pcall(redis.call, 'HGET', key, owner)
  local ends = read and value and string.sub(value, 1, #ours) == ours and string.match(value, '^%S+ %d+ %d+ %d+ %d+ (%d+) ')
  local again, left
  -- One that is over may have been seen so by somebody who was let in since.
  if ends and tonumber(ends) >= at then
    again, left = rearmed(value, lease)
  end
  if again then
    redis.call('HSET', key, owner, again)
    if redis.call('PTTL', key) < left + 1000 then
      redis.call('PEXPIRE', key, 2 * left + 60000)
    end
  end
  answers[i] = again and 1 or 0
end
return answers
