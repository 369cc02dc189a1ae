-- Replays a list of requests with wrk: `wrk … -- FILE repeat|once AUTHORIZATION`.
-- FILE has one request a line: method, path and, where there is one, body, with tabs between them.
local ffi = require('ffi')
ffi.cdef('typedef struct { long seconds; long micros; } bench_time; int gettimeofday(bench_time *time, void *zone);')
local clock = ffi.new('bench_time')

local function now()
  ffi.C.gettimeofday(clock, nil)
  return tonumber(clock.seconds) + tonumber(clock.micros) / 1e6
end

local main
function setup(thread)
  main = thread
end

local function format(line, authorization)
  local method, path, body = line:match('^(%u+)\t([^\t]+)\t?(.*)$')
  if method == 'GET' or method == 'HEAD' then return wrk.format(method, path) end
  local headers = { ['Authorization'] = authorization, ['Content-Type'] = 'application/json' }
  return wrk.format(method, path, headers, body ~= '' and body or nil)
end

-- Seconds from the first request to the end of the list; 0 while the end has not been reached.
seconds = 0

function init(args)
  local requests = {}
  for line in io.lines(args[1]) do requests[#requests + 1] = line end
  if #requests == 1 then
    wrk.path = requests[1]:match('\t([^\t]+)')
    return
  end
  for position, line in ipairs(requests) do requests[position] = format(line, args[3]) end
  local position, began = 0, nil
  function request()
    began = began or now()
    if position == #requests then
      if args[2] == 'once' and seconds == 0 then
        seconds = now() - began
        wrk.thread:stop()
      end
      position = 0
    end
    position = position + 1
    return requests[position]
  end
end

function done(summary)
  local ended = main:get('seconds')
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  io.write(string.format('\nRESULT {"requests":%d,"seconds":%f,"failed":%d}\n',
    summary.requests, ended > 0 and ended or summary.duration / 1e6, failed))
end
