-- Who waits to read or to write: owner inbox lease tokens counted kind notes pid host description. Kind 'r' reads; any other
-- is let in alone.
-- In: KEYS rw, queue, fence, seen; ARGV[1], the context; now, at; counter, count and alone, which it changes; retry, enter().
-- Out: CLAIM_WINDOW, serve().

local WAITER = '^(%S+) (%S+) (%d+) (%d+) ([01]) (%a%S*) %S+ (.*)$'
local CLAIM_WINDOW, RUN_ID = string.match(ARGV[1], '^(%d+) (%S*)$')
-- include rw/parts/gone

-- Lets a waiter in for the claim window, and tells it. Returns the window; nothing if it has gone.
local function let_in(owner, inbox, lease, tokens, counted, kind, holder)
  -- Before the push: if the counter cannot be raised, nobody may believe to be in.
  local fence = KEYS[3]
  -- include parts/block
  local window = math.min(tonumber(CLAIM_WINDOW), tonumber(lease))
  -- The notes were about waiting.
  local tail = (at + window) .. ' ' .. kind .. ' - ' .. holder
  local name = string.match(KEYS[1], '^.-}:rw:(.*)$')
  -- include parts/value
  local push = table.concat({'rw', owner, token, tokens, since, window, RUN_ID, name}, ' ')
  -- No receiver: that process is gone. In a cluster the count covers one node and proves nothing; the entry says so, and
  -- the window decides.
  if redis.call('PUBLISH', inbox, push) > 0 or counted == '0' then
    enter(owner, value, window)
    retry = math.max(retry, tonumber(lease))
    return window
  end
end

-- Lets in everybody who may come in now, in their order: a writer if nobody is in, readers up to the next writer. 'mine' is not told:
-- that claim is here. Returns the longest window, and whether it was the turn of 'mine'.
local function serve(mine)
  local longest, met = 0, false
  local entry = redis.call('LINDEX', KEYS[2], 0)
  while entry do
    local owner, inbox, lease, tokens, counted, kind, holder = string.match(entry, WAITER)
    local reads = kind == 'r'
    if owner and not (count == 0 or reads and not alone) then
      if reads or alone or owner == mine or not gone(KEYS[4], owner) then
        break
      end
      owner = nil
    end
    redis.call('LPOP', KEYS[2])
    if owner then
      local window = owner == mine and 0 or let_in(owner, inbox, lease, tokens, counted, kind, holder)
      if window then
        met = met or owner == mine
        longest = math.max(longest, window)
        count, alone = count + 1, alone or not reads
      end
    end
    entry = redis.call('LINDEX', KEYS[2], 0)
  end
  return longest, met
end
