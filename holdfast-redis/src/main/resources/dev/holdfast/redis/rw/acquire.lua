-- Lets a reader or a writer in, if nobody in front keeps it out; otherwise queues, if asked to.
-- KEYS rw, queue, fence, seen. ARGV as acquire; the kind in the tail says whether it reads.
-- '1 now token tokens' | {1, now, token, tokens, kept, 0, handed}
-- {0, now, retry, place, kept, handed, holder} | {-1, now}
-- kept: the claim was found in the queue, or holding. handed: the longest window, if others were let in just now.

-- include parts/now
-- The client has stopped waiting for this request and may have withdrawn: a grant now would be held by nobody.
if now > tonumber(ARGV[6]) then
  return {-1, now}
end
-- include parts/tenure
-- include rw/parts/holders
local reads = string.sub(ARGV[5], 1, 2) == 'r '
local counter
local ours = held[ARGV[2]]
if not ours and (count == 0 or reads and not alone) and redis.call('LLEN', KEYS[2]) == 0 then
  counter = redis.call('MGET', KEYS[3])[1]
  -- include rw/parts/grant
  return '1 ' .. since .. ' ' .. token .. ' ' .. tokens
end

local again, left = nil, nil
if ours then
  again, left = rearmed(ours, ARGV[3])
end
if again then
  -- The claim was granted before, and its answer or its push is still on the way or lost: the same grant again.
  enter(ARGV[2], again, left)
  local token, tokens = string.match(ours, '^%S+ (%d+) (%d+) ')
  return {1, now, tonumber(token), tonumber(tokens), 1}
end
counter = redis.call('MGET', KEYS[3])[1]
-- include rw/parts/queue
-- Holders expired, and those who waited for that have not come yet. Who is new does not overtake them.
local window, met = serve(ARGV[2])
if met or not ours and (count == 0 or reads and not alone) and redis.call('LLEN', KEYS[2]) == 0 then
  -- include rw/parts/grant
  return {1, now, last, tonumber(tokens), met and 1 or 0, 0, window}
end
local place, kept = 0, 0
local ENTRY, former = ARGV[7] or '', ARGV[8]
if ENTRY ~= '' then
  local queue = KEYS[2]
  -- include parts/enqueue
  place, kept = enqueue(false, retry)
end
return {0, now, retry, place, kept, window, holder or ''}
