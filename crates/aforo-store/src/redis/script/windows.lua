-- What buckets whose quota and clock stay as they are do without.
function S.windows()
  -- The clock rule: the time that counts, and whether the clock was set back.
  function S.stepped_back(n, last, whole, c)
    if last - n > math.max(whole, 60000000 / c.micros) then
      return n, true
    end
    return last, false
  end

  -- The fixed window that holds a time: its start, and its end in microseconds.
  function S.window(c, at)
    local kind, micros = c.kind, c.micros
    if kind == 0 then
      local start = at - at % c.w
      return start, (start + c.w) * micros
    elseif kind == 1 then
      return at, (at + c.w) * micros
    elseif kind == 3 then
      return 0, S.endless
    end
    local edges = c.edges
    for i = 1, 4 do
      if at < edges[i] then
        return edges[i - 1] or 0, edges[i]
      end
    end
    return edges[4], S.endless
  end

  -- A changed quota: the units used, rounded up, stand at the last charge's time.
  function S.carried(c, shape, width, last, first, second)
    local algorithm, used = shape % 8, first
    if algorithm <= 1 then
      used = math.ceil(first / math.max(width, 1))
    elseif algorithm == 3 then
      used = first + math.ceil(second * (width - last % width) / width)
    end
    local micros = shape >= 16 and 1000000 or shape >= 8 and 1000 or 1
    last = math.floor(last * micros / c.micros)
    if c.algorithm <= 1 then
      return last, math.min(used * c.w, c.full), 0
    end
    local ends = 0
    if c.algorithm == 2 then
      local _
      _, ends = S.window(c, last)
    end
    return last, math.min(used, c.q), ends
  end

  -- A bucket at a time before its last charge.
  function S.bucket_back(c, n, last, level)
    if level == 0 then
      return n, 0, false
    end
    local whole = math.ceil(math.max(0, level - (c.full - c.capacity * c.w)) / c.q)
    local at, back = S.stepped_back(n, last, whole, c)
    return at, level, back
  end

  function S.fixed(c, n, last, first, second)
    local start, ends = S.window(c, n)
    if not last or first == 0 then
      return n, 0, ends, false
    end
    first = math.min(first, c.q)
    if n < last then
      if c.kind == 0 then
        local _
        _, second = S.window(c, last)
      end
      local whole = 0
      if second ~= S.endless then
        whole = math.max(0, math.floor(second / c.micros) - last)
      end
      local at, back = S.stepped_back(n, last, whole, c)
      if back then
        return n, first, ends, true
      end
      return at, first, second, false
    elseif c.kind == 1 then
      if n * c.micros >= second then
        return n, 0, ends, false
      end
      return n, first, second, false
    elseif last < start then
      return n, 0, ends, false
    end
    return n, first, ends, false
  end

  function S.sliding(c, n, last, first, second)
    local w, q = c.w, c.q
    if not last or (first == 0 and second == 0) then
      return n, 0, 0, false
    end
    first, second = math.min(first, q), math.min(second, q)
    if n < last then
      local whole = w - last % w
      if first > 0 then
        whole = whole + w
      end
      local at, back = S.stepped_back(n, last, whole, c)
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

  -- Units that fit on what is present.
  function S.remaining(c)
    local algorithm = c.algorithm
    if algorithm <= 1 then
      return math.floor((c.full - c.first) / c.w)
    elseif algorithm == 3 then
      return math.max(0, c.q - c.first - math.ceil(c.second * (c.w - c.last % c.w) / c.w))
    end
    return math.max(0, c.q - c.first)
  end

  function S.fill(c)
    S.take(c, S.fits(c, c.cost) and c.cost or math.min(c.cost, S.remaining(c)))
  end
end
