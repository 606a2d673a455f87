-- Out: owner_of(). Whose lock value or queue entry this is; nothing if there is none.
local function owner_of(value)
  return value and string.match(value, '^%S+')
end
