-- Lets the claim in.
-- In: KEYS and ARGV of acquire; now, at, counter, enter(). Out: token and last (the end of the block), tokens (its size), since.
local owner, lease, tokens = ARGV[2], ARGV[3], ARGV[4]
local tail = (at + lease) .. ' ' .. ARGV[5]
local fence = KEYS[3]
-- include parts/block
-- include parts/value
enter(owner, value, tonumber(lease))
