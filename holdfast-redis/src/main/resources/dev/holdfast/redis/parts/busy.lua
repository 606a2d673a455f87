-- What a claim does that does not get the lock at once.
-- In: KEYS and ARGV of acquire; former (its entry under an earlier inbox, or nil); rearm(), correct(). Out: busy().

local LOCK = '^(%S+) (%d+) (%d+) (%d+) (%d+) (%a%S*) %S+ (.*)$'
local ENTRY = ARGV[7] or ''

local queue = KEYS[2]
-- include parts/enqueue

-- The claim met this lock. 'handed' is the window if this script has just handed it over, with 'retry' the receiver's
-- lease; otherwise 0 and nil.
local function busy(held, now, handed, retry, stands_nowhere)
  local owner, token, tokens, _, lease, kind, holder = string.match(held, LOCK)
  if not owner then
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  -- What a later version has made of it is not ours to extend or to hand out.
  if owner == ARGV[2] and kind == 'x' then
    -- The claim was granted before, and its answer or its push is still on the way or lost: the same grant again.
    rearm(KEYS[1], held, ARGV[3])
    return {1, now, tonumber(token), tonumber(tokens), 1}
  end
  if not retry then
    retry = correct(KEYS[1], redis.call('PTTL', KEYS[1]), lease)
  end
  if retry < 0 then
    -- We never write a lock without an expiry: somebody took it off.
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  local place, kept = 0, 0
  if ENTRY ~= '' then
    place, kept = enqueue(stands_nowhere, retry)
  end
  return {0, now, retry, place, kept, handed, holder}
end
