-- Extends many tenures. KEYS their locks. ARGV for each: the beginning of its value (owner and token, so that a renewal
-- cannot touch another grant), its lease.
-- One number for each: 1 extended, 0 no longer ours

-- include parts/rearm
local answers = {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do
  local ours = ARGV[2 * i - 1]
  if value and string.sub(value, 1, #ours) == ours then
    answers[i] = rearm(KEYS[i], value, ARGV[2 * i])
  else
    answers[i] = 0
  end
end
return answers
