-- The general way.
--
-- A function costs every call the time to make it, and more for each local it refers to. So all
-- refer to one table, and what is seldom needed is made when it is.
local S = { endless = 9007199254740991, values = {}, now = now }

-- The records of a value: body (false when there is none), the latest `until` among them, whether
-- they changed, whether neutral ones may go, whether the latest must be looked for.
function S.records(key)
  local value = S.values[key]
  if not value then
    value = { body = false, latest = 0, changed = false, grown = false, recount = false }
    S.values[key] = value
    local bytes = bytes
    if key > 1 or bytes == nil then
      bytes = call('GET', KEYS[key])
    end
    if bytes then
      local version, latest = struct.unpack('<BI6', bytes)
      if version ~= 1 then
        error('aforo: a value has layout version ' .. version .. ', this instance writes 1')
      end
      value.body, value.latest = string.sub(bytes, 8), latest
    end
  end
  return value
end

-- Looks a charge's record up: its place, and what it says.
function S.look_up(c)
  local value = S.records(c.key)
  c.value = value
  local body, id = value.body, c.id
  if not body then
    return
  end
  local sub, byte = string.sub, string.byte
  local at, size, length = 1, #body, #id
  while at <= size do
    local other = byte(body, at)
    if other == length and sub(body, at + 1, at + length) == id then
      local from = at + length + 1
      c.at, c.prior = at, sub(body, from, from + 28)
      local shape, width, last, first, second
      shape, width, last, first, second, c.held = struct.unpack('<BI7I7I7I7I6', body, from)
      return shape, width, last, first, second
    end
    at = at + other + 36
  end
end
