-- Reserves a block of at most so many tokens.
-- In: now, tokens, fence (the key of the bucket's counter), counter (its value). Out: tokens (the size of the block), last and token
-- (its end, as a number and as text), counter. Also names reached.
-- The block ends at the clock and reaches back to the counter at most: so the counter never outruns the clock, however
-- large the blocks, and the clock carries the order over a counter that is lost. A counter that was lost is not known
-- to be the first: below this moment there may be tokens, so the block is this moment alone. Where the clock was set back,
-- tokens are counted one by one until it has caught up.
-- include parts/counter
local reached = tonumber(counter)
local last = now
if reached and reached < now then
  tokens = math.min(tokens, now - reached)
else
  last, tokens = math.max(now, (reached or 0) + 1), 1
end
-- include parts/store
