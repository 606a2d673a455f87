local function parse(value)
  local owner, round, token, tokens, since, lease, holder =
    string.match(value, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not owner then
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  return owner, tonumber(round), token, tokens, since, lease, holder
end
