function S.corrections()
  S.needs('carried')

  -- Gives units of a charge back, where its counter is still kept in the charge's shape.
  function S.give_back(c)
    local units = math.min(c.cost, c.taken)
    if units == 0 then
      return
    end
    if c.algorithm == 4 then
      S.log_present(c)
      if c.logged then
        S.log_give_back(c, units)
      end
      return
    end
    local shape, width, last, first, second = S.look_up(c)
    if not shape or shape ~= c.shape or width ~= c.w or first == 0 then
      return
    end
    local n, w = math.floor(S.now / c.micros), c.w
    if c.algorithm <= 1 then
      local below = c.mark + (c.taken - units) * w
      local drained = math.max(0, math.max(0, n - c.taken_at) * c.q - below)
      units = math.max(0, units * w - drained)
      if units == 0 then
        return
      end
      first = math.min(first, c.full)
    elseif c.algorithm == 2 then
      if second ~= c.mark or S.now >= c.mark then
        return
      end
    elseif math.floor(last / w) ~= c.mark or math.floor(math.max(n, last) / w) ~= c.mark then
      return
    end
    c.last, c.first, c.second = last, math.max(0, first - units), second
    S.keep(c)
  end

  -- Takes more of a charge, up to the capacity, in the shape and window that it was taken in.
  function S.take_more(c)
    local shape, width, _, first = S.look_up(c)
    local empty = shape and shape % 8 == 4 and first == 0
    if shape and not empty and (shape ~= c.shape or width ~= c.w) then
      return
    end
    if c.algorithm == 4 then
      S.log_present(c)
    elseif c.algorithm == 2 and S.now >= c.mark then
      return
    else
      S.present(c)
    end
    S.fill(c)
  end

  function S.reset(c)
    S.look_up(c)
    if c.at then
      local value = c.value
      local body = value.body
      value.body = string.sub(body, 1, c.at - 1) .. string.sub(body, c.at + #c.id + 36)
      value.changed, value.recount = true, true
    end
    if c.log > 0 then
      redis.call('DEL', KEYS[c.log])
    end
  end
end
