-- Extends many votes. KEYS admission, and their locks. ARGV admitted, and for each: owner, token, lease, round.
-- {1, now, and for each: 1 extended | 0 not ours | -2 the lease is longer than this node may grant}

-- include quorum/parts/node
-- include quorum/parts/anew
-- include parts/now
local values = redis.call('MGET', unpack(KEYS))
local record = values[1]
-- include quorum/parts/admitted
local answers = {1, now}
for i = 2, #KEYS do
  local at = 4 * i - 6
  local owner, round, token, middle, stored, rest =
    string.match(values[i] or '', '^(%S+) (%d+) (%d+)( %d+ %d+ )(%d+)( x .*)$')
  local answer = 0
  if tonumber(ARGV[at + 2]) > longest then
    answer = TOO_LONG
  elseif owner == ARGV[at] and token == ARGV[at + 1] then
    local left, lease = anew(KEYS[i], stored, ARGV[at + 2])
    -- The vote of an earlier round that came late counts from here on, so a late undo of that round must not take it.
    local late = tonumber(round) < tonumber(ARGV[at + 3])
    if late or lease ~= stored then
      local head = owner .. ' ' .. (late and ARGV[at + 3] or round) .. ' ' .. token .. middle
      redis.call('SET', KEYS[i], head .. lease .. rest, 'PX', left)
    else
      redis.call('PEXPIRE', KEYS[i], left)
    end
    answer = 1
  end
  answers[i + 1] = answer
end
return answers
