-- Grants the claim, whose lock is absent or, if 'held' says so, ours to give.
-- In: KEYS and ARGV of acquire; now, held, counter. Out: token and last (the end of the block), tokens (its size), since.
local owner, lease, tokens, tail = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local fence = KEYS[3]
-- include parts/block
-- include parts/value
if not redis.call('SET', KEYS[1], value, 'PX', lease, held and 'XX' or 'NX') then
  -- It read as absent and yet something is there: it is not a string.
  error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
end
