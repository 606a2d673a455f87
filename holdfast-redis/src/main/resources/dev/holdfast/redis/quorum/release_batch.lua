-- Several releases in one request, carried out one after the other.
-- KEYS admission, then the locks of all, the fences of all, the queues of all. ARGV admitted, window, the owners.
-- {what quorum/release would answer, of each}, or {-4, error} for one that failed

-- include quorum/parts/node
local count = (#KEYS - 1) / 3
local values = redis.call('MGET', unpack(KEYS, 1, 1 + count))
local record = values[1]
-- include quorum/parts/admitted
local answers, ours, gone, usual = {}, {}, {}, true
for i = 1, count do
  local lock, held = KEYS[1 + i], values[1 + i]
  answers[i] = 0
  if held and string.match(held, '^%S+') ~= ARGV[2 + i] then
    usual = false
  elseif held and not gone[lock] then
    answers[i] = 1
    ours[#ours + 1] = lock
    gone[lock] = true
  end
end
if usual and redis.call('EXISTS', unpack(KEYS, 2 + 2 * count)) == 0 then
  -- Nobody waits for any of them, and no rival is in the way.
  if ours[1] then
    redis.call('DEL', unpack(ours))
  end
  return answers
end

local function one(i)
  local function alone(KEYS, ARGV)
    -- include quorum/release
  end
  return alone({KEYS[1 + i], KEYS[1 + 2 * count + i], KEYS[1 + count + i], KEYS[1]}, {ARGV[1], ARGV[2 + i], ARGV[2]})
end

-- include quorum/parts/each
