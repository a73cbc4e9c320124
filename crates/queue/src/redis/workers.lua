-- Returns {{worker, portrait, silent for}, …} and {{worker, key, running for}, …}; spans are text, numbers would lose
-- their fractions on the way.
local t = now()
local list, jobs = {}, {}
local found = redis.call('ZRANGE', workers, 0, -1, 'WITHSCORES')
for i = 1, #found, 2 do
    local worker = found[i]
    list[#list + 1] = { worker, redis.call('HGET', portraits, worker) or '', tostring(t - tonumber(found[i + 1])) }
    for _, id in ipairs(redis.call('SMEMBERS', inflight(worker))) do
        local key = redis.call('HGET', meta(id), 'idempotency_key') or ''
        jobs[#jobs + 1] = { worker, key, tostring(t - number(id, 'locked_at')) }
    end
end
return { list, jobs }
