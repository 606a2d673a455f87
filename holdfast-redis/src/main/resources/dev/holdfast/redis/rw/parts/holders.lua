-- Who holds a read-write lock: a hash of tenures, under their owners. One whose time is over is no holder, and is removed by
-- whoever finds it. The hash expires some time after the last of them.
-- In: KEYS rw; now, at, TENURE, rearmed(). Out: held (the values, by owner), count (how many), alone (whether one of them tolerates
-- no other), retry (what is left of the last), holder (who that is), enter().
local held, count, alone, retry, holder = {}, 0, false, 0, nil
for _, value in ipairs(redis.call('HVALS', KEYS[1])) do
  local owner, _, _, _, lease, ends, kind, who = string.match(value, TENURE)
  if not owner then
    error('HOLDFAST-FOREIGN ' .. KEYS[1], 0)
  end
  local left = ends - at
  if left > tonumber(lease) then
    -- The clock was set back. What is left begins anew, as if it had been granted now.
    left = tonumber(lease)
    value = string.gsub(value, '^(%S+ %d+ %d+ %d+ %d+) %d+', '%1 ' .. at + left)
    redis.call('HSET', KEYS[1], owner, value)
  end
  if left < 0 then
    redis.call('HDEL', KEYS[1], owner)
  else
    held[owner] = value
    count, alone = count + 1, alone or kind ~= 'r'
    if left >= retry then
      retry, holder = left, who
    end
  end
end

-- Writes a tenure of which so much is left, and keeps the hash for longer than that. The caller counts it.
local function enter(owner, value, left)
  redis.call('HSET', KEYS[1], owner, value)
  -- The rest is for renewals: as a rule they need not lengthen this.
  redis.call('PEXPIRE', KEYS[1], 2 * math.max(retry, left) + 60000)
end
