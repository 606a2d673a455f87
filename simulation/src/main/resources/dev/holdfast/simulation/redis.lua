-- What a script finds as 'redis', as in Redis 7.0, and what it does not find.

local call = ...
java, luajava, loadstring, load, dofile, loadfile, require, module, package, io, os, debug, print = nil

redis = {REDIS_VERSION_NUM = 0x00070000}

function redis.error_reply(text)
  return {err = text}
end

function redis.status_reply(text)
  return {ok = text}
end

-- An exception of Java must not cross the frames of C: an error comes back as a second value.
local error = error
local function result(answer, problem)
  if problem then
    error(problem, 0)
  end
  return answer
end

function redis.call(...)
  return result(call(...))
end
