-- Lua's own conversion of numbers keeps 14 digits, a time has 16.
local function lock_value(owner, round, token, tokens, now, lease, holder)
  return string.format('%s %s %s %s %.0f %s %s', owner, round, token, tokens, now, lease, holder)
end
