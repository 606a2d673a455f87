-- Ends a tenure later: this node keeps its vote for exactly so long from now, whatever is left of its lease. Nobody renews it.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, token, round, milliseconds.
-- {1 if it was ours, now, how many wait} | {-2, now, longest}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- If this node forgets, it must not vote again before that time is over: whoever readmits it goes by the longest lease.
if tonumber(ARGV[5]) > longest then
  return {TOO_LONG, now, longest}
end
local owner, round, token, middle, rest =
  string.match(held or '', '^(%S+) (%d+) (%d+)( %d+ %d+ )%d+( x .*)$')
if owner ~= ARGV[2] or token ~= ARGV[3] then
  return {0, now, 0}
end
-- Before the write: it fails where something else stands under the queue's key.
local waiting = redis.call('LLEN', KEYS[2])
-- The vote of an earlier round that came late counts from here on, so a late undo of that round must not take it.
if tonumber(round) < tonumber(ARGV[4]) then
  round = ARGV[4]
end
redis.call('SET', KEYS[1], owner .. ' ' .. round .. ' ' .. token .. middle .. ARGV[5] .. rest, 'PX', ARGV[5])
return {1, now, waiting}
