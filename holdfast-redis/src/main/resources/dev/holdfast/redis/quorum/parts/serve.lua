-- The lock is absent: reserves this node for the first waiter that is alive, 'entry' or one behind it, and tells it. A
-- hint, never a vote: the receiver asks all nodes like anybody else. Returns the window, or 0.
-- In: KEYS lock, queue; counter. Out: serve().
-- Entries of the queue: owner inbox lease kind notes pid host description
local function serve(entry, window, now)
  while entry do
    local owner, inbox, lease, kind, holder = string.match(entry, '^(%S+) (%S+) (%d+) (%a%S*) %S+ (.*)$')
    if owner then
      local name = string.match(KEYS[1], '^.-:lock:(.*)$')
      local turn = table.concat({owner, counter or '0', name}, ' ')
      if redis.call('PUBLISH', inbox, turn) > 0 then
        window = math.min(tonumber(window), tonumber(lease))
        local round, token, tokens = 0, 0, 0
        -- The notes were about waiting.
        local tail = kind .. ' - ' .. holder
        -- include parts/since
        -- include quorum/parts/value
        redis.call('SET', KEYS[1], value, 'PX', window)
        return window
      end
    end
    entry = redis.call('LPOP', KEYS[2])
  end
  return 0
end
