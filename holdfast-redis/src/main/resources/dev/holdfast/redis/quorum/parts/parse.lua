local function parse(value)
  local owner, round, token, tokens, since, lease, holder =
    string.match(value, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not owner then
    foreign(KEYS[1])
  end
  return owner, tonumber(round), token, tokens, tonumber(since), lease, holder
end
