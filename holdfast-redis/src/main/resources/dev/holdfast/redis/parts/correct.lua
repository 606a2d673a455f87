-- What is left above the lease in a lock's value proves that the server's clock was set back. It is cut to that lease, as if
-- the lock had been granted now. Returns what is left. Out: correct().
local function correct(key, left, lease)
  if left > tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
    return tonumber(lease)
  end
  return left
end
