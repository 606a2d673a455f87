-- Watches a node that may have forgotten: how long has it certainly been in this state?
-- The first contact writes a pending record. Each observer adds its own time to what it found, so that short-lived
-- clients contribute too; the nonce makes sure that it is time of the same state.
-- KEYS admission. ARGV admitted, a new nonce, longest lease; the nonce seen before (empty: none), observed milliseconds;
-- the version of the client's list, and the list.
-- {1, now, longest} it votes | {-3, now, nonce, observed, longest lease} | {-5, now, the record} it is bound to another list

-- include quorum/parts/node
-- include parts/now
local record = redis.call('MGET', KEYS[1])[1] or ''
-- include quorum/parts/longest
if longest then
  return {1, now, longest}
end
local expected = string.match(ARGV[1], ' (%S+)')
local list = string.match(record, '^%a+ ([^:]+):')
local version, servers = string.match(record, ' (%d+) (%S+)$')
local bound_elsewhere = list and list ~= string.match(expected, '^[^:]+')
-- Only a later version of the list replaces it, never the other way round, and never another list beside it: whoever
-- counts the nodes of a list one after the other must not miss that one of them has gone back.
if bound_elsewhere and tonumber(version or 0) >= tonumber(ARGV[6]) then
  return {OTHER_LIST, now, record}
end
-- A wait that began before the list stood at a majority does not count: leases of the list before it may be younger.
local anew = not version or bound_elsewhere or tonumber(version) < tonumber(ARGV[6])
if anew then
  version, servers = ARGV[6], ARGV[7]
end
local nonce, observed = ARGV[2], 0
-- A record of another server, or of this one before it restarted with its data, still says how long its leases may be.
longest = math.max(tonumber(string.match(record, '^%a+ %S+ (%d+)')) or 0, tonumber(ARGV[3]))
local identity, _, known, so_far = string.match(record, '^pending (%S+) (%d+) (%S+) (%d+)')
if identity == expected and not anew then
  nonce, observed = known, tonumber(so_far)
  if nonce == ARGV[4] then
    observed = math.max(observed, tonumber(ARGV[5]))
  end
end
redis.call(
  'SET',
  KEYS[1],
  string.format('pending %s %.0f %s %.0f %s %s', expected, longest, nonce, observed, version, servers)
)
return {UNADMITTED, now, nonce, observed, longest}
