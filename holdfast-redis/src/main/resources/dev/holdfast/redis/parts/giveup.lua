-- Ends the tenure that the caller has proven to be the one it means. Returns the window if it was handed over, or 0.
-- In: KEYS lock, queue; serve(). Out: give_up().
local function give_up(now)
  local _, window = serve(redis.call('LPOP', KEYS[2]), now)
  if window then
    return window
  end
  redis.call('DEL', KEYS[1])
  return 0
end
