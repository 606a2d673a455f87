-- In: ARGV admitted; record. Out: longest.
-- The longest lease that this node may grant, by its record; false if it does not vote. It does not if its memory is not
-- known to be whole, and not for a client with another list: majorities of different lists need not share a node.
local longest = record
  and string.sub(record, 1, #ARGV[1]) == ARGV[1]
  and tonumber(string.match(record, '^%d+', #ARGV[1] + 1))
