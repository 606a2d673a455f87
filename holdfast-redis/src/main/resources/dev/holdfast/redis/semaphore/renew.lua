-- Extends many tenures of slots. KEYS the slots. ARGV for each: the beginning of its value (owner and token, so that a renewal
-- cannot touch another grant), its lease.
-- One number for each: 1 extended, 0 no longer ours

-- include parts/now
-- include parts/tenure
local answers = {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do
  local ours = ARGV[2 * i - 1]
  local again, left
  if value and string.sub(value, 1, #ours) == ours then
    again, left = rearmed(value, ARGV[2 * i])
  end
  if again then
    redis.call('SET', KEYS[i], again, 'PX', left)
  end
  answers[i] = again and 1 or 0
end
return answers
