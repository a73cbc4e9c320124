-- ARGV: worker.
for _, id in ipairs(redis.call('SMEMBERS', inflight(ARGV[1]))) do
    redis.call('SREM', inflight(ARGV[1]), id)
    wait(id)
end
redis.call('ZREM', workers, ARGV[1])
redis.call('HDEL', portraits, ARGV[1])
return 1
