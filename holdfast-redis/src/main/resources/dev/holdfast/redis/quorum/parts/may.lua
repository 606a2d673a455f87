-- Refuses a lease that is too long, and a request that comes too late. In: lease, longest, not_after, now.
if tonumber(lease) > longest then
  return {TOO_LONG, now, longest}
end
-- The client has stopped waiting for this request, and has undone its round: a vote now would belong to nobody.
if now > tonumber(not_after) then
  return {LATE, now}
end
