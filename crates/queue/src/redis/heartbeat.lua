-- ARGV: worker, portrait, lost_after (0: leave others alone), forgotten_after, reason, then the ids this worker has.
-- Returns {strays, jobs of lost workers}.
local worker, portrait, lost_after, forgotten_after, reason = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local t = now()
redis.call('ZADD', workers, t, worker)
redis.call('HSET', portraits, worker, portrait)

local held = {}
for i = 6, #ARGV do held[ARGV[i]] = true end
local strays = 0
for _, id in ipairs(redis.call('SMEMBERS', inflight(worker))) do
    if not held[id] then
        redis.call('SREM', inflight(worker), id)
        wait(id)
        strays = strays + 1
    end
end
if lost_after == 0 then return { strays, 0 } end

local lost = 0
for _, other in ipairs(redis.call('ZRANGEBYSCORE', workers, '-inf', t - lost_after)) do
    for _, id in ipairs(redis.call('SMEMBERS', inflight(other))) do
        redis.call('SREM', inflight(other), id)
        redis.call('HINCRBY', meta(id), 'attempts', 1)
        if number(id, 'attempts') >= number(id, 'max_attempts') then
            bury(id, 'Killed', reason)
        else
            redis.call('HSET', meta(id), 'result', reason)
            wait(id)
        end
        lost = lost + 1
    end
end
for _, other in ipairs(redis.call('ZRANGEBYSCORE', workers, '-inf', t - forgotten_after)) do
    redis.call('ZREM', workers, other)
    redis.call('HDEL', portraits, other)
end
return { strays, lost }
