-- Decides one batch. Every number is a whole one below 2^53, so doubles are exact; a sum or product
-- that may leave that range is only compared with numbers inside it. floor(a/b) and ceil(a/b) are
-- exact too: a quotient of such numbers is never rounded across a whole number.
-- The layout of the values and of the request is told in docs/redis.md.
local request, KEYS = ARGV[1], KEYS
local call, unpack = redis.call, struct.unpack
local writing, denied, given, slack, now, place = unpack('<BBBI4I7', request)
if given == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

-- The usual batch: charges of one value that has their records, in order and in their shape, at or
-- before now. It is decided without a table or a function; whatever else is met leaves all as it
-- was to the general way below, which decides alike.
local bytes
if denied == 0 and KEYS[2] == nil and string.byte(request, place) == 0 then
  bytes = call('GET', KEYS[1])
end
if bytes then
  local pack, sub, ceil = struct.pack, string.sub, math.ceil
  local version, held, at = unpack('<BI6', bytes)
  local usual, taken, latest = version == 1, true, held
  -- What is told is runs of the old records, what is kept is the bytes between what changes.
  local from, run, kept, body, answer = place, at, at, '', ''
  local length, size = #request, #bytes
  while usual and from <= length do
    if at > size then
      usual = false
      break
    end
    -- The places of the keys are known, so they are passed over with what says how it counts.
    local op, id, keys, how, w, q, full, capacity, cost
    op, id, keys, how, w, q, full, capacity, cost, from = unpack('<BBc0I4I4I7I7I7I7I7', request, from)
    local other, shape, width, last, first, second, ends, after =
      unpack('<Bc0BI7I7I7I7I6', bytes, at)
    if other ~= id then
      answer = answer .. sub(bytes, run, at - 1)
      local said
      repeat
        at = after
        if at > size then
          break
        end
        other, said = unpack('<Bc0', bytes, at)
        after = said + 35
      until other == id
      if at > size then
        usual = false
        break
      end
      shape, width, last, first, second, ends = unpack('<BI7I7I7I7I6', bytes, said)
      run = at
    end
    local mode, algorithm, micros, n = 0, 0, 1, now
    local alike = shape == 0
    if how > 0 then
      mode, algorithm = how % 256, (how - how % 256) / 256 % 256
      local unit, kind = (how - how % 65536) / 65536 % 256, (how - how % 16777216) / 16777216
      micros = unit == 0 and 1 or unit == 1 and 1000 or 1000000
      n = (now - now % micros) / micros
      alike = shape == algorithm + 8 * unit and mode <= 1 and (kind == 0 or algorithm ~= 2 and kind ~= 2)
    end
    if not alike or width ~= w or n < last or op > 0 then
      usual = false
      break
    end
    at = after

    local fits, start
    if algorithm <= 1 then
      if first > full then
        first = full
      end
      first = first > 0 and first - (n - last) * q or 0
      if first < 0 then
        first = 0
      end
      fits = first <= full - cost * w
    else
      start = n - n % w
      if first > q then
        first = q
      end
      if algorithm == 2 then
        if last < start then
          first = 0
        end
        second = (start + w) * micros
        fits = first <= q - cost
      else
        if second > q then
          second = q
        end
        if last < start then
          first, second = 0, last >= start - w and first or 0
        end
        local room = q - cost - first
        fits = room >= 0 and second * (w - n + start) <= room * w
      end
      fits = fits or cost == 0
    end

    if cost > capacity or not fits then
      taken = taken and mode == 1
    elseif taken and cost > 0 then
      local whole
      if algorithm <= 1 then
        first = first + cost * w
        whole = (n + ceil(first / q)) * micros
      elseif algorithm == 2 then
        first, whole = first + cost, second
      else
        first, whole = first + cost, (start + 2 * w) * micros
      end
      whole = ceil(whole / 1000)
      if whole > latest then
        latest = whole
      elseif ends >= latest and whole < ends then
        -- The latest `until` of the value must be looked for.
        usual = false
      end
      body = body .. sub(bytes, kept, at - 28) .. pack('<I7I7I7I6', n, first, second, whole)
      kept = at
    end
  end
  if usual then
    if writing == 1 then
      local changed = taken and body ~= ''
      if not changed then
        latest = held
      end
      local lasting = latest - (now - now % 1000) / 1000
      lasting = (lasting > 0 and lasting or 0) + slack
      if changed then
        call('SET', KEYS[1], pack('<BI6', 1, latest) .. body .. sub(bytes, kept), 'PX', lasting)
      elseif call('PTTL', KEYS[1]) == -1 then
        call('PEXPIRE', KEYS[1], lasting)
      end
    end
    return pack('<BI7', taken and 3 or 2, now) .. answer .. sub(bytes, run, at - 1)
  end
end
