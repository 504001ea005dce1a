local charges, count, corrects = {}, 0, false
while place <= #request do
  local op, id, key, log, mode, algorithm, unit, kind, w, q, full, capacity, cost
  op, id, key, log, mode, algorithm, unit, kind, w, q, full, capacity, cost, place =
    unpack('<BBc0I2I2BBBBI7I7I7I7I7', request, place)
  local c = {
    op = op, id = id, key = key, log = log, shadow = mode % 2 == 1, take = mode >= 2,
    algorithm = algorithm, unit = unit, shape = algorithm + 8 * unit, kind = kind,
    w = w, q = q, full = full, capacity = capacity, cost = cost,
    at = false, prior = false, held = 0, last = 0, first = 0, second = 0, back = false, fits = false,
  }
  if kind == 2 then
    local edges = {}
    edges[1], edges[2], edges[3], edges[4], place = unpack('<I7I7I7I7', request, place)
    c.edges = edges
  end
  if op > 0 then
    c.taken_at, c.taken, c.mark, place = unpack('<I7I7I7', request, place)
    corrects = true
  end
  count = count + 1
  charges[count] = c
end

local taken, answer = denied == 0, {}
if corrects then
  for i = 1, count do
    local c = charges[i]
    if c.op == 1 then
      give_back(c)
    elseif c.op == 2 then
      take_more(c)
    else
      reset(c)
    end
  end
else
  for i = 1, count do
    local c = charges[i]
    if c.algorithm == 4 then
      log_present(c)
    else
      present(c)
    end
    c.fits = fits(c, c.cost)
    taken = taken and (c.fits or c.shadow)
  end
  for i = 1, count do
    local c = charges[i]
    if c.algorithm == 4 then
      answer[i] = log_answer(c)
    else
      answer[i] = c.prior and '\1' .. c.prior or '\0'
    end
    if writing == 1 then
      if taken then
        take(c, c.fits and c.cost or 0)
      elseif c.take then
        fill(c)
      elseif c.back then
        take(c, 0)
      end
    end
  end
end

-- The records and logs, with their expiry.
local function lasting(ends)
  return max(max(0, ends - now_ms) + slack, 1)
end

local function swept(key, body)
  local kept, ends_last, at = {}, 0, 1
  while at <= #body do
    local following = at + byte(body, at) + 36
    local ends = unpack('<I6', body, following - 6)
    if not grown[key] or #body <= FEW or ends + slack > now_ms then
      kept[#kept + 1] = sub(body, at, following - 1)
      ends_last = max(ends_last, ends)
    end
    at = following
  end
  latest[key] = ends_last
  return table.concat(kept)
end

for key = 1, #KEYS do
  local body = bodies[key]
  if changed[key] then
    if recount[key] or (grown[key] and #body > FEW) then
      body = swept(key, body)
    end
    if body == '' then
      call('DEL', KEYS[key])
    else
      local value = pack('<BI6', 1, latest[key]) .. body
      call('SET', KEYS[key], value, 'PX', lasting(latest[key]))
    end
  elseif body and writing == 1 and call('PTTL', KEYS[key]) == -1 then
    call('PEXPIRE', KEYS[key], lasting(latest[key]))
  end
end
for i = 1, count do
  local c = charges[i]
  if c.log_value then
    call('SET', KEYS[c.log], c.log_value, 'PX', lasting(c.held))
  elseif c.logged and writing == 1 and call('PTTL', KEYS[c.log]) == -1 then
    call('PEXPIRE', KEYS[c.log], lasting(c.held))
  end
end
return pack('<BI7', taken and 1 or 0, now) .. table.concat(answer)
