-- Takes a round's vote back, of that round or an earlier one: a late undo must not kill the same owner's next round.
-- Never hands over: every failed round would wake the next waiter into another failed round. Keeps a reservation.
-- KEYS lock, queue, fence, admission.
-- ARGV admitted, owner, round; lease, holder, inbox (empty: do not queue).
-- {1, now, place}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
-- include quorum/parts/parse
-- include quorum/parts/enqueue
local mine = false
if held and owner_of(held) == ARGV[2] then
  local _, round, token = parse(held)
  mine = token == '0'
  if not mine and round <= tonumber(ARGV[3]) then
    redis.call('DEL', KEYS[1])
  end
end
local place = 0
if ARGV[6] ~= '' and not mine then
  place = enqueue(ARGV[2], ARGV[6], ARGV[4], ARGV[5], 0)
end
return {1, now, place}
