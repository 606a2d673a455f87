-- Put in front of whatever a guard checks: what it has seen. KEYS guard, data. ARGV token, and what the step needs.
-- A guard holds the newest token of a writer as digits; behind a comma that of a reader, as long as that is newer. After a move its
-- generation and a colon stand before them, in the guard and in ARGV alike.
-- Out: generation, writer, newest (of both) as texts, or nil if it has seen nothing; is_older().

local seen = redis.call('GET', KEYS[1])
local generation, writer, newest
if seen then
  local marks
  generation, marks = string.match(seen, '^(%d+:)(.*)$')
  generation, marks = generation or '', marks or seen
  writer, newest = string.match(marks, '^(%d+),(%d+)$')
  if not writer then
    writer = string.match(marks, '^%d+$')
    newest = writer
  end
  -- What is no token cannot be compared. Something newer may have stood there, so nothing passes.
  if not writer then
    return redis.error_reply("HOLDFAST-FOREIGN '" .. string.gsub(string.sub(seen, 1, 60), '%c', ' ') .. "'")
  end
  -- Another generation is another lock store: the two numbers have nothing to do with each other.
  if generation ~= (string.match(ARGV[1], '^%d+:') or '') then
    return redis.error_reply('HOLDFAST-GENERATION ' .. seen)
  end
end

-- Digits without leading zeros: the longer is the larger. As Lua numbers they would lose their last digits beyond 2^53.
local function is_older(one, other)
  return #one < #other or (#one == #other and one < other)
end
