-- ARGV: worker, id, attempts, status, reason, pause. Returns 1 if the job was this worker's, 0 if not (any more).
local worker, id, attempts, status, reason, pause = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
if redis.call('SISMEMBER', inflight(worker), id) == 0 or redis.call('HGET', meta(id), 'attempts') ~= attempts then
    return 0
end
redis.call('SREM', inflight(worker), id)
if status == 'Done' then
    redis.call('HDEL', keys, redis.call('HGET', meta(id), 'idempotency_key'))
    redis.call('HDEL', data, id)
    redis.call('DEL', meta(id))
    redis.call('HINCRBY', counts, 'done', 1)
    return 1
end
if status ~= 'Pending' then
    redis.call('HINCRBY', meta(id), 'attempts', 1)
end
if status == 'Killed' or (status == 'Failed' and number(id, 'attempts') >= number(id, 'max_attempts')) then
    bury(id, status, reason)
elseif pause > 0 then
    unlock(id)
    redis.call('HSET', meta(id), 'status', status, 'result', reason)
    redis.call('ZADD', scheduled, now() + pause, id)
else
    redis.call('HSET', meta(id), 'result', reason)
    wait(id)
end
return 1
