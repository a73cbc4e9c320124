-- ARGV: max_attempts, then id, key, priority, payload of each job. Returns how many were new.
local added = 0
for i = 2, #ARGV, 4 do
    local id, key, priority, payload = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
    local former = redis.call('HGET', keys, key)
    if former and redis.call('SREM', dead, former) == 1 then
        redis.call('HDEL', data, former)
        redis.call('DEL', meta(former))
        former = false
    end
    if not former then
        redis.call('HSET', keys, key, id)
        redis.call('HSET', data, id, payload)
        redis.call('HSET', meta(id), 'attempts', 0, 'max_attempts', ARGV[1], 'idempotency_key', key, 'priority', priority)
        wait(id)
        added = added + 1
    end
end
return added
