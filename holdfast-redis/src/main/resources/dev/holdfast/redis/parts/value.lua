-- The value of a lock, and the time in it as text. Lua's own conversion of numbers keeps 14 digits, a time has 16.
-- In: now; owner, token, tokens, lease, tail. Out: since, value.
local since = string.format('%.0f', now)
local value = owner .. ' ' .. token .. ' ' .. tokens .. ' ' .. since .. ' ' .. lease .. ' ' .. tail
