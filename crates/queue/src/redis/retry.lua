-- Returns how many jobs wait again.
local ids = redis.call('SMEMBERS', dead)
for _, id in ipairs(ids) do
    redis.call('SREM', dead, id)
    redis.call('HSET', meta(id), 'attempts', 0)
    wait(id)
end
return #ids
