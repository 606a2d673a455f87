-- What the operations on one server share; put in front of each of them.
--
--   lock value    owner token tokens since lease pid host description
--   queue entry   owner inbox lease tokens counted pid host description
--
-- Operations that may hand over are given KEYS = lock, queue, fence and ARGV = claim window, run_id, owner, ...

local LOCK = '^(%S+) (%d+) (%d+) (%d+) (%d+) (.*)$'
local WAITER = '^(%S+) (%S+) (%d+) (%d+) ([01]) (.*)$'

-- The lock value, or false. A key of another type reads as absent.
local function read()
  local both = redis.call('MGET', KEYS[1], KEYS[3])
  counter = both[2]
  return both[1]
end

local function lock_value(owner, token, tokens, now, lease, holder)
  return table.concat({owner, token, tokens, text(now), lease, holder}, ' ')
end

-- Gives the lock to the first waiter that is alive, for the claim window. Stops at an entry of 'mine': that claim is
-- here and needs no push. Returns the new lock value, the window and the receiver's lease; or nothing, and whether it
-- met 'mine'.
local function serve(now, mine)
  local entry = redis.call('LPOP', KEYS[2])
  while entry do
    local owner, inbox, lease, tokens, counted, holder = string.match(entry, WAITER)
    if owner and owner == mine then
      return nil, nil, nil, true
    end
    if owner then
      now = now or clock()
      -- Before the push: if the counter cannot be raised, nobody may believe to hold the lock.
      local token = reserve(tonumber(tokens), now)
      local window = math.min(tonumber(ARGV[1]), tonumber(lease))
      local name = string.match(KEYS[1], '^.-:lock:(.*)$')
      local push = table.concat({owner, token, tokens, text(now), window, ARGV[2], name}, ' ')
      -- No receiver: that process is gone, so the next one is served. In a cluster the count covers one node and
      -- proves nothing; the entry says so, and the window decides.
      if redis.call('PUBLISH', inbox, push) > 0 or counted == '0' then
        local value = lock_value(owner, token, tokens, now, lease, holder)
        redis.call('SET', KEYS[1], value, 'PX', window)
        return value, window, tonumber(lease)
      end
    end
    entry = redis.call('LPOP', KEYS[2])
  end
end

-- Ends the tenure that the caller has proven to be the one it means. Returns the window if it was handed over, or 0.
local function give_up()
  local _, window = serve()
  if window then
    return window
  end
  redis.call('DEL', KEYS[1])
  return 0
end

local LATE, BUSY, GRANTED = -1, 0, 1

-- A claim: ARGV[3..9] = owner, lease, tokens, holder, not-after, inbox (empty: do not queue), counted.

local function is_late(now)
  return now > tonumber(ARGV[7])
end

local function grant(now, ...)
  local token = reserve(tonumber(ARGV[5]), now)
  local value = lock_value(ARGV[3], token, ARGV[5], now, ARGV[4], ARGV[6])
  if not redis.call('SET', KEYS[1], value, 'PX', ARGV[4], ...) then
    -- It read as absent and yet something is there: it is not a string.
    foreign(KEYS[1])
  end
  return tonumber(token)
end

-- Puts the claim at the end of the queue, unless it stands there. Returns its place, and 1 if it had one.
local function enqueue(stands_nowhere, retry)
  local entry = table.concat({ARGV[3], ARGV[8], ARGV[4], ARGV[5], ARGV[9], ARGV[6]}, ' ')
  local at = not stands_nowhere and redis.call('LPOS', KEYS[2], entry)
  local place = at and at + 1 or redis.call('RPUSH', KEYS[2], entry)
  -- Every waiter comes back within the holder's lease; what is older than that has no waiters any more.
  redis.call('PEXPIRE', KEYS[2], 2 * math.max(retry, tonumber(ARGV[4])) + 60000)
  return place, at and 1 or 0
end

-- The claim met this lock. 'handed' is the window if this script has just handed it over, with 'retry' the receiver's
-- lease; otherwise 0 and nil.
local function busy(held, now, handed, retry, stands_nowhere)
  local owner, token, tokens, _, _, holder = string.match(held, LOCK)
  if not owner then
    foreign(KEYS[1])
  end
  if owner == ARGV[3] then
    -- The claim was granted before, and its answer or its push is still on the way or lost: the same grant again.
    extend(KEYS[1], ARGV[4])
    return {GRANTED, now, tonumber(token), tonumber(tokens), 1}
  end
  retry = retry or redis.call('PTTL', KEYS[1])
  if retry < 0 then
    -- We never write a lock without an expiry: somebody took it off.
    foreign(KEYS[1])
  end
  local place, kept = 0, 0
  if ARGV[8] ~= '' then
    place, kept = enqueue(stands_nowhere, retry)
  end
  return {BUSY, now, retry, place, kept, handed, holder}
end
