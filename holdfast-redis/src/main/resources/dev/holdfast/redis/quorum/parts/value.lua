-- The value of a lock. In: owner, round, token, tokens, since, lease, tail. Out: value.
local value = owner .. ' ' .. round .. ' ' .. token .. ' ' .. tokens .. ' ' .. since .. ' ' .. lease .. ' ' .. tail
