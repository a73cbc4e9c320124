-- Returns how many jobs were removed, done ones included.
local removed = tonumber(redis.call('HGET', counts, 'done')) or 0
local function remove(id)
    redis.call('HDEL', keys, redis.call('HGET', meta(id), 'idempotency_key') or '')
    redis.call('HDEL', data, id)
    redis.call('DEL', meta(id))
    removed = removed + 1
end
for _, id in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do remove(id) end
for _, id in ipairs(redis.call('ZRANGE', scheduled, 0, -1)) do remove(id) end
for _, id in ipairs(redis.call('SMEMBERS', dead)) do remove(id) end
redis.call('DEL', waiting, scheduled, dead, counts)
return removed
