-- Takes the lock if it is free and nobody else is in front; otherwise queues, if asked to.
-- KEYS lock, queue, fence. ARGV context, owner, lease, tokens, tail, not-after; its queue entry, if it is to queue; and that
-- under an earlier inbox, if there may be one. The tail is what its lock value ends with: kind notes pid host description.
-- '1 now token', and the tokens if fewer than asked | {1, now, token, tokens, kept}
-- {0, now, retry, place, kept, handed, holder} | {-1, now}
-- A text costs less than a list, and is what most get.
-- kept: the claim was found in the queue, or holding. handed: the window, if the lock went to somebody else just now.

-- include parts/now
-- The client has stopped waiting for this request and may have withdrawn: a grant now would be held by nobody.
if now > tonumber(ARGV[6]) then
  return {-1, now}
end
-- include parts/read
-- Not by taking the first one out: a full server refuses memory only to a script that has not written yet.
if not held and redis.call('LLEN', KEYS[2]) == 0 then
  -- include parts/grant
  local grant = '1 ' .. since .. ' ' .. token
  return tokens == tonumber(ARGV[4]) and grant or grant .. ' ' .. tokens
end

-- include parts/rearm
-- include parts/queue
local former = ARGV[8]
-- include parts/busy
if held then
  return busy(held, now, 0)
end
-- The holder expired and its waiters have not come yet. Who is new does not overtake them.
local served, window, longest, met = serve(redis.call('LPOP', KEYS[2]), now, ARGV[2])
if served then
  return busy(served, now, window, longest)
end
-- include parts/grant
return {1, now, last, tonumber(tokens), met and 1 or 0}
