-- Extends many votes. KEYS admission, and their locks. ARGV admitted, and for each: owner, token, lease, round.
-- {1, now, and for each: 1 extended | 0 not ours | -2 the lease is longer than this node may grant}

-- include quorum/parts/node
-- include parts/extend
-- include parts/now
local values = redis.call('MGET', unpack(KEYS))
local record = values[1]
-- include quorum/parts/admitted
local answers = {1, now}
for i = 2, #KEYS do
  local at = 4 * i - 6
  local owner, round, token, rest = string.match(values[i] or '', '^(%S+) (%d+) (%d+)( .*)$')
  local answer = 0
  if tonumber(ARGV[at + 2]) > longest then
    answer = TOO_LONG
  elseif owner == ARGV[at] and token == ARGV[at + 1] then
    -- The vote of an earlier round that came late counts from here on, so a late undo of that round must not take it.
    if tonumber(round) < tonumber(ARGV[at + 3]) then
      redis.call('SET', KEYS[i], owner .. ' ' .. ARGV[at + 3] .. ' ' .. token .. rest, 'KEEPTTL')
    end
    extend(KEYS[i], ARGV[at + 2])
    answer = 1
  end
  answers[i + 1] = answer
end
return answers
