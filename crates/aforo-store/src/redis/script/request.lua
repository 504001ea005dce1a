-- Decides one batch. Every number is a whole one below 2^53, so doubles are exact; a sum or product
-- that may leave that range is only compared with numbers inside it. floor(a/b) and ceil(a/b) are
-- exact too: a quotient of such numbers is never rounded across a whole number.
-- The layout of the values and of the request is told in docs/redis.md.
local unpack, pack, sub, byte = struct.unpack, struct.pack, string.sub, string.byte
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local call = redis.call

local ENDLESS = 9007199254740991
local MICROS = { [0] = 1, 1000, 1000000 }
local MINUTE = { [0] = 60000000, 60000, 60 }
-- Bytes of records up to which neutral ones stay.
local FEW = 2048

local request = ARGV[1]
local writing, denied, given, slack, now, place = unpack('<BBBI4I7', request)
if given == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
local now_ms = floor(now / 1000)

-- By place in KEYS: the records of a value (false when there is none), the latest `until` among
-- them, whether they changed, whether neutral ones may go, whether the latest must be looked for.
local bodies, latest, changed, grown, recount = {}, {}, {}, {}, {}

local function records(key)
  local body = bodies[key]
  if body == nil then
    local value = call('GET', KEYS[key])
    body = false
    if value then
      local version
      version, latest[key] = unpack('<BI6', value)
      if version ~= 1 then
        error('aforo: a value has layout version ' .. version .. ', this instance writes 1')
      end
      body = sub(value, 8)
    end
    bodies[key] = body
  end
  return body
end

local function find(body, id)
  local at, size, length = 1, #body, #id
  while at <= size do
    local other = byte(body, at)
    if other == length and sub(body, at + 1, at + length) == id then
      return at
    end
    at = at + other + 36
  end
end

-- The clock rule: the time that counts, and whether the clock was set back.
local function stepped_back(n, last, whole, unit)
  if last - n > max(whole, MINUTE[unit]) then
    return n, true
  end
  return last, false
end
