-- The time as text. Lua's own conversion of numbers keeps 14 digits, a time has 16.
-- In: now. Out: since.
local since = string.format('%.0f', now)
