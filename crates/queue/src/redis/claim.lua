-- ARGV: worker, limit. Returns {id, key, attempts, payload} of each job.
local worker, limit = ARGV[1], tonumber(ARGV[2])
local t = now()
-- A claim is a sign of life. And whoever has jobs must be listed, or nobody would take them back.
redis.call('ZADD', workers, t, worker)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', scheduled, '-inf', t, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', scheduled, id)
    redis.call('ZADD', waiting, 0 - number(id, 'priority'), id)
end
local claimed = {}
local popped = redis.call('ZPOPMIN', waiting, limit)
for i = 1, #popped, 2 do
    local id = popped[i]
    redis.call('SADD', inflight(worker), id)
    redis.call('HSET', meta(id), 'status', 'Running', 'locked_by', worker, 'locked_at', t)
    local fields = redis.call('HMGET', meta(id), 'idempotency_key', 'attempts')
    claimed[#claimed + 1] = { id, fields[1], fields[2], redis.call('HGET', data, id) }
end
return claimed
