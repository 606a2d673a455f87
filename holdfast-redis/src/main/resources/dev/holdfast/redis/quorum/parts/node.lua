-- One node of a quorum.
--
--   lock value        owner round token tokens since lease pid host description
--   reservation       the same with round and token 0: the place of who is next, never a vote
--   admission record  admitted identity maxLease  |  pending identity maxLease nonce observed
--
-- ARGV[1] is always the identity that the client expects: the number of nodes, the server, and its data. A reply of more
-- than one number begins with a code and the time.

local UNADMITTED, TOO_LONG, LATE, BUSY, GRANTED = -3, -2, -1, 0, 1

-- The longest lease that this node may grant; or nothing, if its memory is not known to be whole.
local function max_lease(record)
  local state, identity, longest = string.match(record or '', '^(%a+) (%S+) (%d+)')
  if state == 'admitted' and identity == ARGV[1] then
    return tonumber(longest)
  end
  -- Majorities of different lists of nodes need not share a node.
  if state and string.match(identity, '^%d+') ~= string.match(ARGV[1], '^%d+') then
    error('HOLDFAST-SIZE ' .. string.match(identity, '^%d*'), 0)
  end
end

local function unadmitted(record)
  -- include parts/now
  return {UNADMITTED, now, record or ''}
end
