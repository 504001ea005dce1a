-- Asks Aforo about each request. While Aforo is away, requests pass.

local AFORO = "http://127.0.0.1:8082/forward-auth"
local SHOWN = {
    "ratelimit", "ratelimit-policy",
    "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
}
-- Headers that belong to the connection or to the body, which Aforo is not sent.
local OWN = { ["connection"] = true, ["content-length"] = true, ["transfer-encoding"] = true, ["expect"] = true }

-- HAProxy's client answers by itself when nobody is there.
local function is_aforos(answer)
    local control = answer.headers["cache-control"]
    return control and control[0] == "no-store"
end

local function question(txn)
    local headers = {}
    for name, values in pairs(txn.http:req_get_headers()) do
        if not OWN[name] and not name:find("^x%-forwarded%-") then
            headers[name] = {}
            for place = 0, #values do
                table.insert(headers[name], values[place])
            end
        end
    end
    headers["x-forwarded-method"] = { txn.sf:method() }
    headers["x-forwarded-uri"] = { txn.sf:pathq() }
    headers["x-forwarded-host"] = { txn.sf:req_hdr("host") }
    headers["x-forwarded-for"] = { tostring(txn.sf:src()) }
    return headers
end

core.register_action("aforo", { "http-req" }, function(txn)
    local answer = core.httpclient():get({ url = AFORO, headers = question(txn), timeout = 1000 })
    if answer.status == 200 then
        for _, name in ipairs(SHOWN) do
            if answer.headers[name] then
                txn:set_var("txn." .. name:gsub("-", "_"), answer.headers[name][0])
            end
        end
    elseif is_aforos(answer) then
        -- The client gets it as it is. To deny while Aforo is away, put an `else` below.
        local reply = txn:reply({ status = answer.status, reason = "Denied", body = answer.body })
        for name, values in pairs(answer.headers) do
            if not OWN[name] then
                for place = 0, #values do
                    reply:add_header(name, values[place])
                end
            end
        end
        txn:done(reply)
    end
end, 0)
