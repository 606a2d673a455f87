-- One node's vote: gives it if the lock is absent here or reserved for this owner; otherwise queues, if asked to.
-- KEYS lock, queue, fence, admission.
-- ARGV admitted, owner, round, lease, tokens, tail, not-after, proposal, its queue entry (empty: do not queue).
-- The tail is what its lock value ends with: kind notes pid host description.
-- '1 now token' | {1, now, token} | {0, now, remaining, place, owner, token, counter, holder} | {-1, now} |
-- {-2, now, longest}. A text costs less than a list, and is what most get.

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
local lease, not_after = ARGV[4], ARGV[7]
-- include quorum/parts/may
if held then
  -- include quorum/parts/parse
  local owner, round, token, tokens, since, stored, tail, kind, holder = parse(held)
  if owner ~= ARGV[2] or kind ~= 'x' then
    -- include quorum/parts/enqueue
    -- include parts/correct
    local remaining = correct(KEYS[1], redis.call('PTTL', KEYS[1]), stored)
    if remaining < 0 then
      -- We never write a lock without an expiry: somebody took it off.
      error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
    end
    local place = ARGV[9] ~= '' and enqueue(ARGV[9], ARGV[4], remaining) or 0
    return {BUSY, now, remaining, place, owner, tonumber(token), tonumber(counter) or 0, holder}
  end
  if token ~= '0' then
    -- A later round must not be taken for this one.
    if round > tonumber(ARGV[3]) then
      return {LATE, now}
    end
    -- include quorum/parts/anew
    local left, lease = anew(KEYS[1], stored, ARGV[4])
    local round = ARGV[3]
    -- include quorum/parts/value
    redis.call('SET', KEYS[1], value, 'PX', left)
    return {GRANTED, now, tonumber(token)}
  end
end
if ARGV[9] ~= '' then
  -- include parts/owner
  -- include quorum/parts/forget
  forget(ARGV[2])
end
local lock, fence = KEYS[1], KEYS[3]
local owner, round, tokens, tail, proposal = ARGV[2], ARGV[3], ARGV[5], ARGV[6], ARGV[8]
-- include parts/since
-- include quorum/parts/grant
