-- The fixed window that holds a time: its start, and its end in microseconds.
local function window(c, at)
  local kind, micros = c.kind, MICROS[c.unit]
  if kind == 0 then
    local start = at - at % c.w
    return start, (start + c.w) * micros
  elseif kind == 1 then
    return at, (at + c.w) * micros
  elseif kind == 3 then
    return 0, ENDLESS
  end
  local edges = c.edges
  for i = 1, 4 do
    if at < edges[i] then
      return edges[i - 1] or 0, edges[i]
    end
  end
  return edges[4], ENDLESS
end

-- A changed quota: the units used, rounded up, stand at the last charge's time.
local function carried(c, shape, width, last, first, second)
  local algorithm, used = shape % 8, first
  if algorithm <= 1 then
    used = ceil(first / max(width, 1))
  elseif algorithm == 3 then
    used = first + ceil(second * (width - last % width) / width)
  end
  last = floor(last * MICROS[floor(shape / 8)] / MICROS[c.unit])
  if c.algorithm <= 1 then
    return last, min(used * c.w, c.full), 0
  end
  local ends = 0
  if c.algorithm == 2 then
    local _
    _, ends = window(c, last)
  end
  return last, min(used, c.q), ends
end

local function bucket(c, n, last, level)
  level = min(level, c.full)
  if n >= last then
    return n, max(0, level - (n - last) * c.q), false
  elseif level == 0 then
    return n, 0, false
  end
  local whole = ceil(max(0, level - (c.full - c.capacity * c.w)) / c.q)
  local at, back = stepped_back(n, last, whole, c.unit)
  return at, level, back
end

local function fixed(c, n, last, first, second)
  local start, ends = window(c, n)
  if not last or first == 0 then
    return n, 0, ends, false
  end
  first = min(first, c.q)
  if n < last then
    if c.kind == 0 then
      local _
      _, second = window(c, last)
    end
    local whole = 0
    if second ~= ENDLESS then
      whole = max(0, floor(second / MICROS[c.unit]) - last)
    end
    local at, back = stepped_back(n, last, whole, c.unit)
    if back then
      return n, first, ends, true
    end
    return at, first, second, false
  elseif c.kind == 1 then
    if n * MICROS[c.unit] >= second then
      return n, 0, ends, false
    end
    return n, first, second, false
  elseif last < start then
    return n, 0, ends, false
  end
  return n, first, ends, false
end

local function sliding(c, n, last, first, second)
  local w, q = c.w, c.q
  if not last or (first == 0 and second == 0) then
    return n, 0, 0, false
  end
  first, second = min(first, q), min(second, q)
  if n < last then
    local whole = w - last % w
    if first > 0 then
      whole = whole + w
    end
    local at, back = stepped_back(n, last, whole, c.unit)
    return at, first, second, back
  end
  local start = n - n % w
  if last >= start then
    return n, first, second, false
  elseif last >= start - w then
    return n, 0, first, false
  end
  return n, 0, 0, false
end

-- Looks a charge's record up: its place, and what it says.
local function look_up(c)
  local body = records(c.key)
  c.at = body and find(body, c.id)
  if not c.at then
    return
  end
  local from = c.at + #c.id + 1
  c.prior = sub(body, from, from + 28)
  local shape, width, last, first, second
  shape, width, last, first, second, c.held = unpack('<BI7I7I7I7I6', body, from)
  return shape, width, last, first, second
end

-- Brings a charge's counter to now.
local function present(c)
  local shape, width, last, first, second = look_up(c)
  if shape and (shape ~= c.shape or width ~= c.w) then
    last, first, second = carried(c, shape, width, last, first, second)
  end
  local n, algorithm = floor(now / MICROS[c.unit]), c.algorithm
  if algorithm <= 1 then
    c.last, c.first, c.back = bucket(c, n, last or n, first or 0)
    c.second = 0
  elseif algorithm == 2 then
    c.last, c.first, c.second, c.back = fixed(c, n, last, first, second)
  else
    c.last, c.first, c.second, c.back = sliding(c, n, last, first, second)
  end
end

-- Whether units fit on what is present.
local function fits(c, cost)
  if cost > c.capacity then
    return false
  end
  local algorithm = c.algorithm
  if algorithm <= 1 then
    return c.first <= c.full - cost * c.w
  elseif algorithm == 3 then
    local room = c.q - cost - c.first
    return cost == 0 or (room >= 0 and c.second * (c.w - c.last % c.w) <= room * c.w)
  end
  return cost == 0 or c.first <= c.q - cost
end

-- Units that fit on what is present.
local function remaining(c)
  local algorithm = c.algorithm
  if algorithm <= 1 then
    return floor((c.full - c.first) / c.w)
  elseif algorithm == 3 then
    return max(0, c.q - c.first - ceil(c.second * (c.w - c.last % c.w) / c.w))
  end
  return max(0, c.q - c.first)
end

-- When a counter says no more than a new one would, in milliseconds, rounded up.
local function whole_at(c)
  local algorithm, micros = c.algorithm, MICROS[c.unit]
  local at
  if algorithm <= 1 then
    at = (c.last + ceil(c.first / c.q)) * micros
  elseif algorithm == 2 then
    at = c.second
    if at == ENDLESS then
      at = now + 34560000000000
    end
  elseif algorithm == 3 then
    local windows = (c.first > 0 and 2) or (c.second > 0 and 1) or 0
    at = (c.last - c.last % c.w + windows * c.w) * micros
  else
    at = (c.last + c.w) * micros
  end
  return ceil(at / 1000)
end

-- Writes a charge's record into the records of its key.
local function keep(c)
  local key, at, id = c.key, c.at, c.id
  local body, ends = bodies[key], whole_at(c)
  local record = pack('<Bc0BI7I7I7I7I6', #id, id, c.shape, c.w, c.last, c.first, c.second, ends)
  if at then
    bodies[key] = sub(body, 1, at - 1) .. record .. sub(body, at + #record)
    if c.held >= latest[key] and ends < c.held then
      recount[key] = true
    end
  else
    body = body or ''
    c.at = #body + 1
    bodies[key] = body .. record
    grown[key] = true
  end
  c.held = ends
  latest[key] = max(latest[key] or 0, ends)
  changed[key] = true
end
