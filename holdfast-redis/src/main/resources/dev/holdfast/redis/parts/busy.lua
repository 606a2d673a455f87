-- What a claim does that does not get the lock at once.

local LOCK = '^(%S+) (%d+) (%d+) (%d+) (%d+) (.*)$'
local COUNTED, INBOX = string.match(ARGV[1], '^%d+ %S* ([01]) (.*)$')

-- Puts the claim at the end of the queue, unless it stands there. Returns its place, and 1 if it had one.
local function enqueue(stands_nowhere, retry)
  local entry = table.concat({ARGV[2], INBOX, ARGV[3], ARGV[4], COUNTED, ARGV[5]}, ' ')
  local at = not stands_nowhere and redis.call('LPOS', KEYS[2], entry)
  local place = at and at + 1 or redis.call('RPUSH', KEYS[2], entry)
  -- Every waiter comes back within the holder's lease; what is older than that has no waiters any more.
  redis.call('PEXPIRE', KEYS[2], 2 * math.max(retry, tonumber(ARGV[3])) + 60000)
  return place, at and 1 or 0
end

-- The claim met this lock. 'handed' is the window if this script has just handed it over, with 'retry' the receiver's
-- lease; otherwise 0 and nil.
local function busy(held, now, handed, retry, stands_nowhere)
  local owner, token, tokens, _, _, holder = string.match(held, LOCK)
  if not owner then
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  if owner == ARGV[2] then
    -- The claim was granted before, and its answer or its push is still on the way or lost: the same grant again.
    extend(KEYS[1], ARGV[3])
    return {1, now, tonumber(token), tonumber(tokens), 1}
  end
  retry = retry or redis.call('PTTL', KEYS[1])
  if retry < 0 then
    -- We never write a lock without an expiry: somebody took it off.
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  local place, kept = 0, 0
  if INBOX ~= '' then
    place, kept = enqueue(stands_nowhere, retry)
  end
  return {0, now, retry, place, kept, handed, holder}
end
