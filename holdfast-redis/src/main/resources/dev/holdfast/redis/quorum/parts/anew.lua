-- A vote with the lease 'stored' in its value is given its lease anew: for how long, and which lease its value states from
-- then on. Never shorten: requests can overtake each other. But what is left above the stored lease proves that this node's
-- clock was set back, and does not count. Out: anew().
local function anew(key, stored, lease)
  if tonumber(lease) >= tonumber(stored) then
    return lease, lease
  end
  return math.max(tonumber(lease), math.min(redis.call('PTTL', key), tonumber(stored))), stored
end
