-- Never shorten: requests can overtake each other. Redis 7 compares by itself.
local function extend(key, lease)
  if redis.REDIS_VERSION_NUM then
    redis.call('PEXPIRE', key, lease, 'GT')
  elseif redis.call('PTTL', key) < tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
  end
end
