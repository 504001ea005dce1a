local now_ms = math.floor(now / 1000)

local charges, count, corrects = {}, 0, false
while place <= #request do
  local op, id, key, log, mode, algorithm, unit, kind, w, q, full, capacity, cost
  op, id, key, log, mode, algorithm, unit, kind, w, q, full, capacity, cost, place =
    struct.unpack('<BBc0I2I2BBBBI7I7I7I7I7', request, place)
  local c = {
    op = op, id = id, key = key, log = log, shadow = mode % 2 == 1, take = mode >= 2,
    algorithm = algorithm, micros = unit == 0 and 1 or unit == 1 and 1000 or 1000000,
    shape = algorithm + 8 * unit, kind = kind, w = w, q = q, full = full, capacity = capacity,
    cost = cost, at = false, prior = false, held = 0, value = false,
    last = 0, first = 0, second = 0, back = false, fits = false,
  }
  if kind == 2 then
    local edges = {}
    edges[1], edges[2], edges[3], edges[4], place = struct.unpack('<I7I7I7I7', request, place)
    c.edges = edges
  end
  if op > 0 then
    c.taken_at, c.taken, c.mark, place = struct.unpack('<I7I7I7', request, place)
    corrects = true
  end
  if algorithm == 4 and not S.log_present then
    S.logs()
  end
  count = count + 1
  charges[count] = c
end

local taken, answer = denied == 0, {}
if corrects then
  S.corrections()
  for i = 1, count do
    local c = charges[i]
    if c.op == 1 then
      S.give_back(c)
    elseif c.op == 2 then
      S.take_more(c)
    else
      S.reset(c)
    end
  end
else
  for i = 1, count do
    local c = charges[i]
    if c.algorithm == 4 then
      S.log_present(c)
    else
      S.present(c)
    end
    c.fits = S.fits(c, c.cost)
    taken = taken and (c.fits or c.shadow)
  end
  for i = 1, count do
    local c = charges[i]
    if c.algorithm == 4 then
      answer[i] = S.log_answer(c)
    else
      answer[i] = c.prior and '\1' .. c.prior or '\0'
    end
    if writing == 1 then
      if taken then
        S.take(c, c.fits and c.cost or 0)
      elseif c.take then
        S.needs('fill')
        S.fill(c)
      elseif c.back then
        S.take(c, 0)
      end
    end
  end
end

-- The values and logs, with their expiry. Neutral records go when a value is larger than 2 KiB
-- and has got another one.
for key, value in pairs(S.values) do
  local body = value.body
  local sweeps = value.grown and #body > 2048
  if value.recount or sweeps then
    local kept, latest, at = {}, 0, 1
    while at <= #body do
      local following = at + string.byte(body, at) + 36
      local ends = struct.unpack('<I6', body, following - 6)
      if not sweeps or ends + slack > now_ms then
        kept[#kept + 1] = string.sub(body, at, following - 1)
        latest = math.max(latest, ends)
      end
      at = following
    end
    body, value.latest = table.concat(kept), latest
  end
  local lasting = math.max(0, value.latest - now_ms) + slack
  if value.changed then
    if body == '' then
      redis.call('DEL', KEYS[key])
    else
      redis.call('SET', KEYS[key], struct.pack('<BI6', 1, value.latest) .. body, 'PX', lasting)
    end
  elseif body and writing == 1 and redis.call('PTTL', KEYS[key]) == -1 then
    redis.call('PEXPIRE', KEYS[key], lasting)
  end
end
if S.log_present then
  for i = 1, count do
    local c = charges[i]
    local lasting = math.max(0, c.held - now_ms) + slack
    if c.log_value then
      redis.call('SET', KEYS[c.log], c.log_value, 'PX', lasting)
    elseif c.logged and writing == 1 and redis.call('PTTL', KEYS[c.log]) == -1 then
      redis.call('PEXPIRE', KEYS[c.log], lasting)
    end
  end
end
return struct.pack('<BI7', taken and 1 or 0, now) .. table.concat(answer)
