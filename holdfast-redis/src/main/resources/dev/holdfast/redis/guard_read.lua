-- Behind guard_marks: remembers the token of a reader, unless a writer had a newer one. Readers do not refuse each other, so an
-- older reader's changes nothing.

local token = string.match(ARGV[1], '%d+$')
if writer and is_older(token, writer) then
  return redis.error_reply('HOLDFAST-STALE ' .. generation .. writer)
end
if not newest or is_older(newest, token) then
  redis.call('SET', KEYS[1], (string.match(ARGV[1], '^%d+:') or '') .. (writer or '0') .. ',' .. token)
end
return 1
