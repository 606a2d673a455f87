local value = owner .. ' ' .. token .. ' ' .. tokens .. ' ' .. since .. ' ' .. lease .. ' ' .. holder
