-- Gives the vote, and answers so.
-- In: lock, fence (keys); now, since, held, counter; owner, round, tokens, lease, tail, proposal. Out: counter.
-- Safety never rests on the proposal: it only makes nodes agree in one round trip. One that is far ahead is cut.
local floor = math.min(tonumber(proposal), now + 1000000)
-- include parts/reserve
-- include quorum/parts/value
if not redis.call('SET', lock, value, 'PX', lease, held and 'XX' or 'NX') then
  -- It read as absent and yet something is there: it is not a string.
  error('HOLDFAST-FOREIGN ' .. lock, 0)
end
return '1 ' .. since .. ' ' .. token
