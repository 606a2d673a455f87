local value = owner .. ' ' .. round .. ' ' .. token .. ' ' .. tokens .. ' ' .. since .. ' ' .. lease .. ' ' .. holder
