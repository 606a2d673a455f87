-- Takes every entry of this owner out of the queue. In: KEYS lock, queue; owner_of(). Out: forget().
local function forget(owner)
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if owner_of(entry) == owner then
      redis.call('LREM', KEYS[2], 0, entry)
    end
  end
end
