-- Reserves a block of exactly so many tokens that ends at 'floor' at least. For a quorum: a majority has to agree on one block, so
-- its size cannot depend on a node.
-- In: tokens, floor, fence (the key of the bucket's counter), counter (its value). Out: last and token (the end of the block, as a
-- number and as text), counter.
-- include parts/counter
local last = math.max((tonumber(counter) or 0) + tokens, floor)
-- include parts/store
