-- The value of a tenure that ends after exactly so long, whatever was left of its lease, and is renewed by nobody. The lease in it
-- has to say so, or others would take a longer time for a clock that was set back.
-- In: value, at, ARGV[1] (its beginning: owner and token), ARGV[2] (ms). Out: kept; nothing if it is not ours.
local head, rest = string.match(value or '', '^(%S+ %d+ %d+ %d+ )%d+ %d+( x .*)$')
local kept
if head and string.sub(value, 1, #ARGV[1]) == ARGV[1] then
  kept = head .. ARGV[2] .. ' ' .. (at + ARGV[2]) .. rest
end
