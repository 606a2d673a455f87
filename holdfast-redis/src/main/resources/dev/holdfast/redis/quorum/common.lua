-- What the operations of a quorum share, at each of its nodes; put in front of each of them.
--
--   lock value        owner round token tokens since lease pid host description
--   reservation       the same with round and token 0: the place of who is next, never a vote
--   queue entry       owner inbox lease pid host description
--   admission record  admitted identity maxLease  |  pending identity maxLease nonce observed
--
-- ARGV[1] is always the identity that the client expects: the number of nodes, the server, and its data. Every reply
-- begins with a code and the time.

local UNADMITTED, TOO_LONG, LATE, BUSY, GRANTED = -3, -2, -1, 0, 1
local LOCK = '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$'
local WAITER = '^(%S+) (%S+) (%d+) (.*)$'

-- The longest lease that this node may grant; or nothing, if its memory is not known to be whole.
local function max_lease(record)
  local state, identity, longest = string.match(record or '', '^(%a+) (%S+) (%d+)')
  -- Majorities of different lists of nodes need not share a node.
  if state and string.match(identity, '^%d+') ~= string.match(ARGV[1], '^%d+') then
    error('HOLDFAST-SIZE ' .. string.match(identity, '^%d*'), 0)
  end
  if state == 'admitted' and identity == ARGV[1] then
    return tonumber(longest)
  end
end

local function unadmitted(record, now)
  return {UNADMITTED, now or clock(), record or ''}
end

-- For KEYS lock, queue, fence, admission: the lock value or false, and the longest lease or nothing, and the record.
local function read()
  local values = redis.call('MGET', KEYS[1], KEYS[3], KEYS[4])
  counter = values[2]
  return values[1], max_lease(values[3]), values[3]
end

local function lock_value(owner, round, token, tokens, now, lease, holder)
  return table.concat({owner, round, token, tokens, text(now), lease, holder}, ' ')
end

local function parse(value)
  local owner, round, token, tokens, since, lease, holder = string.match(value, LOCK)
  if not owner then
    foreign(KEYS[1])
  end
  return owner, tonumber(round), token, tokens, tonumber(since), lease, holder
end

-- The lock is absent: reserves this node for the first waiter that is alive, and tells it. A hint, never a vote: the
-- receiver asks all nodes like anybody else. Returns the window, or 0.
local function serve(window, now)
  local entry = redis.call('LPOP', KEYS[2])
  while entry do
    local owner, inbox, lease, holder = string.match(entry, WAITER)
    if owner then
      local name = string.match(KEYS[1], '^.-:lock:(.*)$')
      local turn = table.concat({owner, counter or '0', name}, ' ')
      if redis.call('PUBLISH', inbox, turn) > 0 then
        window = math.min(tonumber(window), tonumber(lease))
        redis.call('SET', KEYS[1], lock_value(owner, 0, 0, 0, now, lease, holder), 'PX', window)
        return window
      end
    end
    entry = redis.call('LPOP', KEYS[2])
  end
  return 0
end

-- Puts a claim at the end of the queue, unless it stands there. Returns its place.
local function enqueue(owner, inbox, lease, holder, retry)
  local entry = table.concat({owner, inbox, lease, holder}, ' ')
  local at = redis.call('LPOS', KEYS[2], entry)
  local place = at and at + 1 or redis.call('RPUSH', KEYS[2], entry)
  -- Every waiter comes back within the holder's lease; what is older than that has no waiters any more.
  redis.call('PEXPIRE', KEYS[2], 2 * math.max(retry, tonumber(lease)) + 60000)
  return place
end

-- Takes every entry of this owner out of the queue.
local function forget(owner)
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if owner_of(entry) == owner then
      redis.call('LREM', KEYS[2], 0, entry)
    end
  end
end
