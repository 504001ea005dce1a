-- Sliding logs. A log's sum is its record, its entries have a key of their own:
-- version, shape, w, next id, total; then time, cost and id of each entry, the oldest first.
function S.logs()
  S.needs('carried')

  function S.log_present(c)
    local w, q, cost = c.w, c.q, c.cost
    local shape, width, last, first, second = S.look_up(c)
    local entries, total, following = '', 0, 0
    if shape and (shape ~= c.shape or width ~= w) then
      last, total = S.carried(c, shape, width, last, first, second)
      if total > 0 then
        entries, following = struct.pack('<I7I2I6', last, total, 0), 1
      end
    elseif shape then
      c.logged = true
      local value = redis.call('GET', KEYS[c.log])
      if value and string.sub(value, 1, 9) == struct.pack('<BBI7', 1, shape, w) then
        following, total = struct.unpack('<I6I3', value, 10)
        entries = string.sub(value, 19)
      elseif first > 0 then
        entries, total, following = struct.pack('<I7I2I6', last, first, 0), first, 1
      end
    end
    local n = math.floor(S.now / c.micros)
    local at, back = n, false
    local newest = #entries > 0 and struct.unpack('<I7', entries, #entries - 14)
    if newest and n < newest then
      at, back = S.stepped_back(n, newest, w, c)
    end
    local from, expired = 1, 0
    while from <= #entries do
      local entry, units = struct.unpack('<I7I2', entries, from)
      if math.min(entry, at) + w > at then
        break
      end
      from, expired = from + 15, expired + units
    end
    c.entries, c.total, c.following, c.from, c.expired = entries, total, following, from, expired
    c.newest, c.last, c.back = newest, at, back
    c.first, c.second = math.min(total - expired, q), 0
  end

  -- What the answer tells of a log: as few entries as decide alike.
  function S.log_answer(c)
    if not c.logged then
      return c.prior and ('\1' .. c.prior) or '\0'
    end
    local units, cost, w = c.first, c.cost, c.w
    local answer = struct.pack('<BI6', 2, c.following)
    if units == 0 then
      return answer .. '\0'
    end
    local wanted = { 1 }
    local excess = units - (c.q - cost)
    if cost <= c.q and excess > 1 and excess < units then
      wanted[2] = excess
    end
    if c.take and cost > 1 and cost < units then
      wanted[#wanted + 1] = cost
    end
    table.sort(wanted)
    -- Units that left by time or with a lowered quota come before the first.
    local from, seen, told, runs, count = c.from, c.expired, 0, '', 0
    local gone = c.total - units
    local entry, held
    for i = 1, #wanted do
      local upto = wanted[i]
      if upto > told then
        while seen < gone + upto do
          entry, held = struct.unpack('<I7I2', c.entries, from)
          from, seen = from + 15, seen + held
        end
        runs, count = runs .. struct.pack('<I7I2', entry, upto - told), count + 1
        told = upto
      end
    end
    if units > told then
      runs, count = runs .. struct.pack('<I7I2', c.newest, units - told), count + 1
    end
    return answer .. struct.pack('<B', count) .. runs
  end

  -- Drops what is over, adds what is taken, and writes the log beside its record.
  function S.log_keep(c, units)
    local entries, total, following, at = string.sub(c.entries, c.from), c.total - c.expired, c.following, c.last
    if c.back then
      local moved = {}
      for from = 1, #entries, 15 do
        local entry, held, id = struct.unpack('<I7I2I6', entries, from)
        moved[#moved + 1] = struct.pack('<I7I2I6', math.min(entry, at), held, id)
      end
      entries = table.concat(moved)
    end
    while total > c.q do
      local entry, held, id = struct.unpack('<I7I2I6', entries)
      local excess = math.min(total - c.q, held)
      total, entries = total - excess, string.sub(entries, 16)
      if excess < held then
        entries = struct.pack('<I7I2I6', entry, held - excess, id) .. entries
      end
    end
    if units > 0 then
      entries = entries .. struct.pack('<I7I2I6', at, units, following)
      total, following = total + units, following + 1
    end
    c.last = #entries > 0 and struct.unpack('<I7', entries, #entries - 14) or at
    c.first, c.second = total, 0
    c.log_value = struct.pack('<BBI7I6I3', 1, c.shape, c.w, following, total) .. entries
    S.keep(c)
  end

  -- Gives units of the entry with an id back.
  function S.log_give_back(c, units)
    local entries = c.entries
    local low, high = 0, #entries / 15 - 1
    while low <= high do
      local middle = math.floor((low + high) / 2)
      local from = middle * 15 + 1
      local entry, held, id = struct.unpack('<I7I2I6', entries, from)
      if id < c.mark then
        low = middle + 1
      elseif id > c.mark then
        high = middle - 1
      else
        if entry <= c.taken_at then
          local given = math.min(units, held)
          local left = given < held and struct.pack('<I7I2I6', entry, held - given, id) or ''
          c.entries = string.sub(entries, 1, from - 1) .. left .. string.sub(entries, from + 15)
          c.total, c.from, c.expired, c.back = c.total - given, 1, 0, false
          -- The quota may have changed since: what it holds now caps the next charge.
          c.q = c.total
          S.log_keep(c, 0)
        end
        return
      end
    end
  end
end
