-- Who waits for any slot: owner inbox lease tokens counted slots kind notes pid host description
-- In: KEYS queue, fence; ARGV[1], the context; now, at; take(); counter, which it changes. Out: CLAIM_WINDOW, MET, serve().

local WAITER = '^(%S+) (%S+) (%d+) (%d+) ([01]) (%d+) (%a%S*) %S+ (.*)$'
local CLAIM_WINDOW, RUN_ID = string.match(ARGV[1], '^(%d+) (%S*)$')
local MET = {}

-- Gives a slot to the first waiter that is alive and counts with it, 'entry' or one behind it, for the claim window. Stops at an entry of 'mine': that
-- claim is here and needs no push. Returns the window, the receiver's lease and who it is; or nothing, and MET if it met 'mine'.
local function serve(entry, slot, key, mine)
  while entry do
    local owner, inbox, lease, tokens, counted, _, kind, holder = string.match(entry, WAITER)
    if owner and owner == mine then
      return nil, MET
    end
    if owner then
      -- Before the push: if the counter cannot be raised, nobody may believe to hold the slot.
      local fence = KEYS[2]
      -- include parts/block
      local window = math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
      -- The notes were about waiting.
      local tail = (at + window) .. ' ' .. kind .. ' - ' .. holder
      local name = string.match(KEYS[1], '^.-}:slotqueue:(.*)$')
      -- include parts/value
      local push = table.concat({'slot', slot, owner, token, tokens, since, window, RUN_ID, name}, ' ')
      -- No receiver: that process is gone, so the next one is served. In a cluster the count covers one node and
      -- proves nothing; the entry says so, and the window decides.
      if redis.call('PUBLISH', inbox, push) > 0 or counted == '0' then
        -- GET makes SET refuse a key of another type, which read as absent, instead of overwriting it.
        redis.call('SET', key, value, 'PX', window, 'GET')
        return window, tonumber(lease), holder
      end
    end
    entry = take(slot)
  end
end
