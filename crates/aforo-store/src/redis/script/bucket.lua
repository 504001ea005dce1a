-- Brings a charge's counter to now.
function S.present(c)
  local shape, width, last, first, second = S.look_up(c)
  local n, algorithm = math.floor(S.now / c.micros), c.algorithm
  if shape and (shape ~= c.shape or width ~= c.w) then
    S.needs('carried')
    last, first, second = S.carried(c, shape, width, last, first, second)
  end
  if algorithm <= 1 then
    local level = first and math.min(first, c.full) or 0
    if not last or n >= last then
      level = level > 0 and level - (n - last) * c.q or 0
      c.last, c.first = n, level > 0 and level or 0
    else
      S.needs('bucket_back')
      c.last, c.first, c.back = S.bucket_back(c, n, last, level)
    end
    return
  end
  S.needs('fixed')
  if algorithm == 2 then
    c.last, c.first, c.second, c.back = S.fixed(c, n, last, first, second)
  else
    c.last, c.first, c.second, c.back = S.sliding(c, n, last, first, second)
  end
end

-- Whether units fit on what is present.
function S.fits(c, cost)
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

-- When a counter says no more than a new one would, in milliseconds, rounded up.
function S.whole_at(c)
  local algorithm, micros = c.algorithm, c.micros
  local at
  if algorithm <= 1 then
    at = (c.last + math.ceil(c.first / c.q)) * micros
  elseif algorithm == 2 then
    at = c.second
    if at == S.endless then
      at = S.now + 34560000000000
    end
  elseif algorithm == 3 then
    local windows = (c.first > 0 and 2) or (c.second > 0 and 1) or 0
    at = (c.last - c.last % c.w + windows * c.w) * micros
  else
    at = (c.last + c.w) * micros
  end
  return math.ceil(at / 1000)
end

-- Writes a charge's record into the records of its key.
function S.keep(c)
  local value, at, id = c.value, c.at, c.id
  local body, ends = value.body, S.whole_at(c)
  local record = struct.pack('<Bc0BI7I7I7I7I6', #id, id, c.shape, c.w, c.last, c.first, c.second, ends)
  if not at then
    body = body or ''
    c.at = #body + 1
    value.body, value.grown = body .. record, true
  elseif #body == #record then
    value.body = record
  else
    value.body = string.sub(body, 1, at - 1) .. record .. string.sub(body, at + #record)
  end
  if at and c.held >= value.latest and ends < c.held then
    value.recount = true
  end
  c.held, value.changed = ends, true
  if ends > value.latest then
    value.latest = ends
  end
end

-- Takes units that fit; keeps what the clock rule made of a counter in any case.
function S.take(c, units)
  local takes = units > 0 and S.fits(c, units)
  if not takes and not c.back then
    return
  end
  if c.algorithm == 4 then
    S.log_keep(c, takes and units or 0)
    return
  end
  if takes then
    c.first = c.first + (c.algorithm <= 1 and units * c.w or units)
  end
  S.keep(c)
end

-- Makes the functions of a part, where one of them is not there yet.
function S.needs(name)
  if not S[name] then
    S.windows()
  end
end
