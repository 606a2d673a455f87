-- The fields of a lock value, its tail whole and in pieces; fails for what Holdfast did not write. In: KEYS lock. Out: parse().
local function parse(value)
  local owner, round, token, tokens, since, lease, tail, kind, holder =
    string.match(value, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) ((%a%S*) %S+ (.*))$')
  if not owner then
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  return owner, tonumber(round), token, tokens, since, lease, tail, kind, holder
end
