-- Whether this node votes, what its clock shows, and how the claims fare that a process waits with: one request for all.
-- Changes nothing.
-- KEYS admission, the locks of all, the queues of those who stand in line here. ARGV admitted, their entries.
-- {1, now, the longest lease, the record, 'owner round token' of each lock or '', the place of each entry or 0} |
-- {-3, now, the record}

-- include quorum/parts/node
local locks = #KEYS - #ARGV
local values = redis.call('MGET', unpack(KEYS, 1, 1 + locks))
local record = values[1]
-- include quorum/parts/admitted
-- include parts/now
local answer = {1, now, longest, record}
for i = 1, locks do
  answer[4 + i] = string.match(values[1 + i] or '', '^%S+ %d+ %d+') or ''
end
for i = 2, #ARGV do
  local at = redis.call('LPOS', KEYS[locks + i], ARGV[i])
  answer[3 + locks + i] = at and at + 1 or 0
end
return answer
