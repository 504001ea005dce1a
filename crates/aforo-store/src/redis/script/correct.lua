-- Gives units of a charge back, where its counter is still kept in the charge's shape.
local function give_back(c)
  local units = min(c.cost, c.taken)
  if units == 0 then
    return
  end
  if c.algorithm == 4 then
    log_present(c)
    if c.logged then
      log_give_back(c, units)
    end
    return
  end
  local shape, width, last, first, second = look_up(c)
  if not shape or shape ~= c.shape or width ~= c.w or first == 0 then
    return
  end
  local n, w = floor(now / MICROS[c.unit]), c.w
  if c.algorithm <= 1 then
    local below = c.mark + (c.taken - units) * w
    local drained = max(0, max(0, n - c.taken_at) * c.q - below)
    units = max(0, units * w - drained)
    if units == 0 then
      return
    end
    first = min(first, c.full)
  elseif c.algorithm == 2 then
    if second ~= c.mark or now >= c.mark then
      return
    end
  elseif floor(last / w) ~= c.mark or floor(max(n, last) / w) ~= c.mark then
    return
  end
  c.last, c.first, c.second = last, max(0, first - units), second
  keep(c)
end

local function take(c, units)
  local takes = units > 0 and fits(c, units)
  if not takes and not c.back then
    return
  end
  if c.algorithm == 4 then
    log_keep(c, takes and units or 0)
    return
  end
  if takes then
    c.first = c.first + (c.algorithm <= 1 and units * c.w or units)
  end
  keep(c)
end

local function fill(c)
  take(c, fits(c, c.cost) and c.cost or min(c.cost, remaining(c)))
end

-- Takes more of a charge, up to the capacity, in the shape and window that it was taken in.
local function take_more(c)
  local shape, width, _, first = look_up(c)
  local empty = shape and shape % 8 == 4 and first == 0
  if shape and not empty and (shape ~= c.shape or width ~= c.w) then
    return
  end
  if c.algorithm == 4 then
    log_present(c)
  elseif c.algorithm == 2 and now >= c.mark then
    return
  else
    present(c)
  end
  fill(c)
end

local function reset(c)
  look_up(c)
  if c.at then
    local key = c.key
    local body = bodies[key]
    bodies[key] = sub(body, 1, c.at - 1) .. sub(body, c.at + #c.id + 36)
    changed[key], recount[key] = true, true
  end
  if c.log > 0 then
    call('DEL', KEYS[c.log])
  end
end
