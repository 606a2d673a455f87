-- Grants this slot, which is absent, to the claim.
-- In: KEYS and ARGV of acquire; now, at, slot, counter. Out: token and last (the end of the block), tokens (its size), since.
local owner, lease, tokens = ARGV[2], ARGV[3], ARGV[4]
local tail = (at + lease) .. ' ' .. ARGV[5]
local fence = KEYS[2]
-- include parts/block
-- include parts/value
if not redis.call('SET', KEYS[slot + 3], value, 'PX', lease, 'NX') then
  -- It read as absent and yet something is there: it is not a string.
  error('HOLDFAST-FOREIGN ' .. KEYS[slot + 3], 0)
end
