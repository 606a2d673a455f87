-- Grants the claim.
local owner, lease, tokens, holder = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local fence, floor = KEYS[3], now
-- include parts/reserve
-- include parts/since
-- include parts/value
if not redis.call('SET', KEYS[1], value, 'PX', lease, held and 'XX' or 'NX') then
  -- It read as absent and yet something is there: it is not a string.
  error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
end
