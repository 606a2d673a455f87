-- Several claims in one request, carried out one after the other.
-- KEYS admission, then the locks of all, the fences of all, the queues of all.
-- ARGV admitted, lease, tokens, holder, not-after, then owner, round, proposal and inbox of each.
-- {what quorum/acquire would answer, of each} | what it would answer to all: {-1, now} | {-2, now, longest}

-- include parts/now
-- include quorum/parts/node
local count = (#KEYS - 1) / 3
local values = redis.call('MGET', unpack(KEYS, 1, 1 + 2 * count))
local record = values[1]
-- include quorum/parts/admitted
local lease, tokens, holder, not_after = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
-- include quorum/parts/may
-- include parts/since
-- By fence: what was read above may have been written since. One lock has one fence, so that goes for the lock, too.
local stale = {}

local function one(claim)
  local lock, fence, queue = KEYS[1 + claim], KEYS[1 + count + claim], KEYS[1 + 2 * count + claim]
  local at = 2 + 4 * claim
  local owner, round, proposal, inbox = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local held, counter = values[1 + claim], values[1 + count + claim]
  local usual = not (held or stale[fence]) and (inbox == '' or redis.call('LLEN', queue) == 0)
  stale[fence] = true
  if usual then
    -- include quorum/parts/grant
  end
  local function alone(KEYS, ARGV)
    -- include quorum/acquire
  end
  return alone(
    {lock, queue, fence, KEYS[1]},
    {ARGV[1], owner, round, lease, tokens, holder, not_after, proposal, inbox}
  )
end

-- include quorum/parts/each
