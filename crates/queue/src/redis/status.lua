-- ARGV: how many failures to list. Returns {waiting, running, done, failed, {{key, attempts, reason}, …}}.
local running = 0
for _, worker in ipairs(redis.call('ZRANGE', workers, 0, -1)) do
    running = running + redis.call('SCARD', inflight(worker))
end
local ids = redis.call('SMEMBERS', dead)
table.sort(ids)
local failures = {}
for i = 1, math.min(#ids, tonumber(ARGV[1])) do
    local fields = redis.call('HMGET', meta(ids[i]), 'idempotency_key', 'attempts', 'result')
    failures[i] = { fields[1] or '', fields[2] or '0', fields[3] or '' }
end
return {
    redis.call('ZCARD', waiting) + redis.call('ZCARD', scheduled),
    running,
    tonumber(redis.call('HGET', counts, 'done')) or 0,
    #ids,
    failures,
}
