-- Takes a round's vote back, of that round or an earlier one: a late undo must not kill the same owner's next round.
-- Hands over only what a release could not, while this vote was in its way: otherwise every failed round would wake the
-- next waiter into another failed round. Keeps a reservation.
-- KEYS lock, queue, fence, admission.
-- ARGV admitted, owner, round; lease, its queue entry (empty: do not queue), not-after, window.
-- {1, now, place, the window if it was reserved}

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include parts/owner
-- include quorum/parts/parse
-- include quorum/parts/enqueue
-- include quorum/parts/missed_turn
-- include quorum/parts/serve
local mine, undone = false, false
if held and owner_of(held) == ARGV[2] then
  local _, round, token = parse(held)
  mine = token == '0'
  if not mine and round <= tonumber(ARGV[3]) then
    redis.call('DEL', KEYS[1])
    undone = true
  end
end
local place = 0
-- Later than that nobody may be waiting any more. The vote is taken back at any time.
if ARGV[5] ~= '' and not mine and now <= tonumber(ARGV[6]) then
  place = enqueue(ARGV[5], ARGV[4], 0)
end
local reserved = 0
if undone and redis.call('LREM', KEYS[2], 0, MISSED_TURN) > 0 then
  reserved = serve(redis.call('LPOP', KEYS[2]), ARGV[7], now)
end
return {1, now, place, reserved}
