local value = owner .. ' ' .. token .. ' ' .. tokens .. ' ' .. string.format('%.0f', now) .. ' ' .. lease .. ' ' .. holder
