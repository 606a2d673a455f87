-- Watches a node that may have forgotten: how long has it certainly been in this state?
-- The first contact writes a pending record. Each observer adds its own time to what it found, so that short-lived
-- clients contribute too; the nonce makes sure that it is time of the same state.
-- KEYS admission. ARGV admitted, a new nonce, longest lease; the nonce seen before (empty: none), observed milliseconds.
-- {1, now, longest} it votes | {-3, now, nonce, observed, longest lease}

-- include quorum/parts/node
-- include parts/now
local record = redis.call('MGET', KEYS[1])[1] or ''
-- include quorum/parts/longest
if longest then
  return {1, now, longest}
end
local nonce, observed = ARGV[2], 0
-- A record of another server, or of this one before it restarted with its data, still says how long its leases may be.
longest = math.max(tonumber(string.match(record, '^%a+ %S+ (%d+)')) or 0, tonumber(ARGV[3]))
local expected = string.match(ARGV[1], ' (%S+)')
local identity, _, known, so_far = string.match(record, '^pending (%S+) (%d+) (%S+) (%d+)$')
if identity == expected then
  nonce, observed = known, tonumber(so_far)
  if nonce == ARGV[4] then
    observed = math.max(observed, tonumber(ARGV[5]))
  end
end
redis.call('SET', KEYS[1], string.format('pending %s %.0f %s %.0f', expected, longest, nonce, observed))
return {UNADMITTED, now, nonce, observed, longest}
