-- The lock is absent: reserves this node for the first waiter that is alive and may have it, 'entry' or one behind it, and
-- tells it. A hint, never a vote: the receiver asks all nodes like anybody else. Returns the window, or 0. Whoever is asking ('me')
-- is told by the answer: for it the window is returned as a negative number.
-- In: KEYS lock, queue; counter. Out: serve().
-- Entries of the queue: owner inbox lease kind notes pid host description. Of a semaphore the notes say slots=N: such a
-- waiter may have the slots below N, and keeps its place while others get one above.
local function serve(entry, window, now, me)
  local name = string.match(KEYS[1], '^.-:lock:(.*)$')
  local slot = tonumber(string.match(name, '\31(%d+)$'))
  local passed, longest, reserved = {}, 0, 0
  while entry do
    local owner, inbox, lease, kind, notes, holder = string.match(entry, '^(%S+) (%S+) (%d+) (%a%S*) (%S+) (.*)$')
    local slots = slot and owner and tonumber(string.match(notes, 'slots=(%d+)'))
    if slot and (slots and slots <= slot or not owner and entry ~= 'missed' .. slot) then
      passed[#passed + 1] = entry
      longest = math.max(longest, tonumber(lease) or 0)
    elseif owner and (owner == me or redis.call('PUBLISH', inbox, owner .. ' ' .. (counter or '0') .. ' ' .. name) > 0) then
      reserved = math.min(tonumber(window), tonumber(lease))
      local round, token, tokens = 0, 0, 0
      -- The notes were about waiting.
      local tail = kind .. ' - ' .. holder
      -- include parts/since
      -- include quorum/parts/value
      redis.call('SET', KEYS[1], value, 'PX', reserved)
      reserved = owner == me and -reserved or reserved
      break
    end
    entry = redis.call('LPOP', KEYS[2])
  end
  if passed[1] then
    -- They keep their places in front. A queue that was emptied meanwhile has lost its expiry.
    local expiry = math.max(redis.call('PTTL', KEYS[2]), 2 * longest + 60000)
    for _, behind in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
      passed[#passed + 1] = behind
    end
    redis.call('DEL', KEYS[2])
    for _, each in ipairs(passed) do
      redis.call('RPUSH', KEYS[2], each)
    end
    redis.call('PEXPIRE', KEYS[2], expiry)
  end
  return reserved
end
