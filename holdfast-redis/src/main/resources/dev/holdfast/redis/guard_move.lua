-- Moves a guard to another generation, if it is still as it was shown, and records the move beside it.
-- KEYS guard, record of moves. ARGV the guard as it was shown (of two marks the newer one), the guard as it is to be, the line for the record.
-- Answers 1, or 0 if the guard is not as it was shown.

local seen = redis.call('GET', KEYS[1])
if not seen or string.gsub(seen, '%d+,(%d+)$', '%1') ~= ARGV[1] then
  return 0
end
-- The record first: if it cannot be written, the guard is not moved.
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2])
return 1
