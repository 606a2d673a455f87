-- Several claims in one request, carried out one after the other.
-- KEYS admission, then the locks of all, the fences of all, the queues of all.
-- ARGV admitted, lease, tokens, tail, then owner, round, not-after, proposal and queue entry of each.
-- {what quorum/acquire would answer, of each}, or {-4, error} for one that failed

-- include parts/now
-- include quorum/parts/node
local count = (#KEYS - 1) / 3
local values = redis.call('MGET', unpack(KEYS, 1, 1 + 2 * count))
local record = values[1]
-- include quorum/parts/admitted
local lease, tokens, tail = ARGV[2], ARGV[3], ARGV[4]
-- include parts/since
-- By fence: what was read above may have been written since. One lock has one fence, so that goes for the lock, too.
local stale = {}

local function one(claim)
  local lock, fence, queue = KEYS[1 + claim], KEYS[1 + count + claim], KEYS[1 + 2 * count + claim]
  local at = 5 * claim
  local owner, round, not_after, proposal, entry = unpack(ARGV, at, at + 4)
  -- include quorum/parts/may
  local held, counter = values[1 + claim], values[1 + count + claim]
  local usual = not (held or stale[fence]) and (entry == '' or redis.call('LLEN', queue) == 0)
  stale[fence] = true
  if usual then
    -- include quorum/parts/grant
  end
  local function alone(KEYS, ARGV)
    -- include quorum/acquire
  end
  return alone(
    {lock, queue, fence, KEYS[1]},
    {ARGV[1], owner, round, lease, tokens, tail, not_after, proposal, entry}
  )
end

-- include quorum/parts/each
