-- Round 2: this node's vote is to stand for the token that the majority agrees on.
-- KEYS lock, queue, fence, admission. ARGV admitted, owner, round, the value this node answered, the token.
-- {1, now} it stands | {0, now} it does not: nothing was touched

-- include parts/now
-- include quorum/parts/node
-- include quorum/parts/read
-- include quorum/parts/parse
local owner, round, token, tokens, since, lease, tail, kind
if held then
  owner, round, token, tokens, since, lease, tail, kind = parse(held)
end
-- Only what this very node answered to this very round may become another value, and only once: a copy of this request
-- that comes late must not touch a later grant.
if owner ~= ARGV[2] or round ~= tonumber(ARGV[3]) or (token ~= ARGV[4] and token ~= ARGV[5]) then
  return {0, now}
end
if kind ~= 'x' then
  return {0, now}
end
-- Never down: what was granted here since may have used the smaller token.
if tonumber(token) > tonumber(ARGV[5]) then
  return {0, now}
end
do
  local fence, tokens, floor = KEYS[3], 0, tonumber(ARGV[5])
  -- include parts/reserve
end
if token ~= ARGV[5] then
  token = ARGV[5]
  -- include quorum/parts/value
  redis.call('SET', KEYS[1], value, 'KEEPTTL')
end
return {1, now}
