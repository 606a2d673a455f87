-- One node's vote: gives it if the lock is absent here or reserved for this owner; otherwise queues, if asked to.
-- KEYS lock, queue, fence, admission.
-- ARGV admitted, owner, round, lease, tokens, holder, not-after, proposal, inbox (empty: do not queue).
-- '1 now token' | {1, now, token} | {0, now, remaining, place, owner, token, counter, holder} | {-1, now} |
-- {-2, now, longest}. A text costs less than a list, and is what most get.

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
if tonumber(ARGV[4]) > longest then
  return {TOO_LONG, now, longest}
end
-- The client has stopped waiting for this request, and has undone its round: a vote now would belong to nobody.
if now > tonumber(ARGV[7]) then
  return {LATE, now}
end
if held then
  -- include quorum/parts/parse
  local owner, round, token, tokens, since, _, holder = parse(held)
  if owner ~= ARGV[2] then
    -- include quorum/parts/enqueue
    local remaining = redis.call('PTTL', KEYS[1])
    if remaining < 0 then
      -- We never write a lock without an expiry: somebody took it off.
      error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
    end
    local place = ARGV[9] ~= '' and enqueue(ARGV[2], ARGV[9], ARGV[4], ARGV[6], remaining) or 0
    return {BUSY, now, remaining, place, owner, tonumber(token), tonumber(counter) or 0, holder}
  end
  if token ~= '0' then
    -- A later round must not be taken for this one.
    if round > tonumber(ARGV[3]) then
      return {LATE, now}
    end
    local left = math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[4]))
    local round, lease = ARGV[3], ARGV[4]
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
-- Safety never rests on the proposal: it only makes nodes agree in one round trip. One that is far ahead is cut.
local floor = math.min(tonumber(ARGV[8]), now + 1000000)
local owner, round, lease, tokens, holder = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
-- include parts/reserve
-- include parts/since
-- include quorum/parts/value
if not redis.call('SET', KEYS[1], value, 'PX', lease, held and 'XX' or 'NX') then
  -- It read as absent and yet something is there: it is not a string.
  error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
end
return '1 ' .. since .. ' ' .. token
