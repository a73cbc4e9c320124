-- Before every script: the keys, in apalis' layout, and the moves that several scripts make.
--
-- A job is an id (a ULID). Its payload is a field of `data`, all else is a hash of its own at `meta:ID`. It is in exactly
-- one of these: `waiting` (a sorted set: the highest priority, then the smallest id), `scheduled` (a sorted set by the
-- time it is due), `inflight:WORKER` (a set for each worker), `dead` (a set). A script runs alone, so nobody sees a job in
-- two of them or in none. Of a job that is done only the count remains.
local data, meta_prefix, workers, inflight_prefix = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local dead, scheduled, waiting, keys, counts, portraits = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]

-- The server's clock is everybody's: those of the workers may differ.
local function now()
    local t = redis.call('TIME')
    return tonumber(t[1]) + tonumber(t[2]) / 1e6
end

local function meta(id) return meta_prefix .. ':' .. id end

local function inflight(worker) return inflight_prefix .. ':' .. worker end

local function number(id, field) return tonumber(redis.call('HGET', meta(id), field)) or 0 end

local function unlock(id) redis.call('HDEL', meta(id), 'locked_by', 'locked_at') end

local function wait(id)
    unlock(id)
    redis.call('HSET', meta(id), 'status', 'Pending')
    redis.call('ZADD', waiting, 0 - number(id, 'priority'), id)
end

local function bury(id, status, reason)
    unlock(id)
    redis.call('HSET', meta(id), 'status', status, 'result', reason, 'done_at', now())
    redis.call('SADD', dead, id)
end
