-- Tenures of which a key has many, or a name has many keys: the slots of a semaphore, and who holds a read-write lock.
--   owner token tokens since lease ends kind notes pid host description
-- As the value of a lock, with 'ends' in it: when it is over, in ms of the server's clock. So one command reads them all.
-- Kind: 'x' for one that is held alone, 'r' for a reader's. Any other is somebody's, and never extended or rewritten.
-- In: now. Out: at (now in ms, rounded up), TENURE, rearmed().
local at = math.ceil(now / 1000)
local TENURE = '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a%S*) %S+ (.*)$'

-- The value with its lease anew, and what is then left; nothing if its kind is not ours to extend. Never shorten: requests
-- can overtake each other. But more left than its own lease proves that the clock was set back, and is cut to that.
local function rearmed(value, lease)
  local head, stored, ends, rest = string.match(value, '^(%S+ %d+ %d+ %d+ )(%d+) (%d+)( [xr] .*)$')
  if head then
    ends = math.max(math.min(tonumber(ends), at + stored), at + lease)
    return head .. math.max(tonumber(stored), tonumber(lease)) .. ' ' .. ends .. rest, ends - at
  end
end
