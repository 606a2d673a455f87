-- Binds this node to a later version of its list, in which one server is another. Its memory stays what it is: a node that
-- votes goes on voting, for clients with the new list only; one that is watched goes on being watched.
-- KEYS admission, and the reservation of quorum/reserve.
-- ARGV admitted (with the old list), the new list as a digest, its version, the new list, nonce of the call.
-- {1, now, the record} bound to the new list | {0, now, the record} bound to neither, or to none; or the reservation is over

-- include parts/now
local values = redis.call('MGET', KEYS[1], KEYS[2])
local record = values[1] or ''
local word, list, rest, version = string.match(record, '^(%a+) ([^:]+):(.-) (%d+) %S+$')
if list == ARGV[2] then
  return {1, now, record}
end
-- Whoever stood still since it reserved this node must not change what somebody else has begun to change.
if values[2] ~= ARGV[5] then
  return {0, now, record}
end
if not list or list ~= string.match(ARGV[1], ' ([^:]+):') or tonumber(version) >= tonumber(ARGV[3]) then
  return {0, now, record}
end
record = table.concat({word, ARGV[2] .. ':' .. rest, ARGV[3], ARGV[4]}, ' ')
redis.call('SET', KEYS[1], record)
return {1, now, record}
