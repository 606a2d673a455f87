-- Microseconds of the server's clock. Out: now.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
