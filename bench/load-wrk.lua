-- Repeats a list of requests with wrk: `wrk … -- FILE AUTHORIZATION`.
-- FILE has a request on each line: method, path and an optional body, separated by tabs.
local function format(line, authorization)
  local method, path, body = line:match('^(%u+)\t([^\t]+)\t?(.*)$')
  if method == 'GET' or method == 'HEAD' then return wrk.format(method, path) end
  local headers = { ['Authorization'] = authorization, ['Content-Type'] = 'application/json' }
  return wrk.format(method, path, headers, body ~= '' and body or nil)
end

function init(args)
  local requests = {}
  for line in io.lines(args[1]) do requests[#requests + 1] = line end
  if #requests == 1 then
    wrk.path = requests[1]:match('\t([^\t]+)')
    return
  end
  for position, line in ipairs(requests) do requests[position] = format(line, args[2]) end
  local position = 0
  function request()
    position = position % #requests + 1
    return requests[position]
  end
end

function done(summary)
  local errors = summary.errors
  local failed = {}
  -- wrk counts the answers with a status from 400 on, but not by status.
  for name, count in pairs(errors) do
    if count > 0 then failed[#failed + 1] = string.format('"%s":%d', name, count) end
  end
  io.write(string.format('\nRESULT {"requests":%d,"seconds":%f,"failed":{%s}}\n',
    summary.requests, summary.duration / 1e6, table.concat(failed, ',')))
end
