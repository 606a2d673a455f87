-- What a guard has seen, and how it was moved. KEYS guard, record of moves.
-- Answers nothing if the guard has seen nothing; else its value, then the lines of the record, the oldest first.

local seen = redis.call('GET', KEYS[1])
if not seen then
  return {}
end
local answer = redis.call('LRANGE', KEYS[2], 0, -1)
table.insert(answer, 1, seen)
return answer
