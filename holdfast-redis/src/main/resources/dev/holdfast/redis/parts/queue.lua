-- Who waits at one server: owner inbox lease tokens counted kind notes pid host description
-- In: KEYS lock, queue, fence; ARGV[1], the context; counter, which it changes. Out: CLAIM_WINDOW, RUN_ID, serve().

local WAITER = '^(%S+) (%S+) (%d+) (%d+) ([01]) (%a%S*) %S+ (.*)$'
local CLAIM_WINDOW, RUN_ID = string.match(ARGV[1], '^(%d+) (%S*)$')

-- Gives the lock to the first waiter that is alive, 'entry' or one behind it, for the claim window. Stops at an entry of
-- 'mine': that claim is here and needs no push. Returns the new lock value, the window and the receiver's lease; or
-- nothing, and whether it met 'mine'.
local function serve(entry, now, mine)
  while entry do
    local owner, inbox, lease, tokens, counted, kind, holder = string.match(entry, WAITER)
    if owner and owner == mine then
      return nil, nil, nil, true
    end
    if owner then
      -- Before the push: if the counter cannot be raised, nobody may believe to hold the lock.
      local fence = KEYS[3]
      -- include parts/block
      local window = math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
      -- The notes were about waiting.
      local tail = kind .. ' - ' .. holder
      local name = string.match(KEYS[1], '^.-}:lock:(.*)$')
      -- include parts/value
      local push = table.concat({owner, token, tokens, since, window, RUN_ID, name}, ' ')
      -- No receiver: that process is gone, so the next one is served. In a cluster the count covers one node and
      -- proves nothing; the entry says so, and the window decides.
      if redis.call('PUBLISH', inbox, push) > 0 or counted == '0' then
        redis.call('SET', KEYS[1], value, 'PX', window)
        return value, window, tonumber(lease)
      end
    end
    entry = redis.call('LPOP', KEYS[2])
  end
end
