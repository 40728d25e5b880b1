/**
 * Scripts that Redis runs atomically. A value is a hash of its text `v` and its version `n`. All keys are in one sorted
 * set, for listing.
 *
 * Keys with an expiry are also in a set that is sorted by the expiry. Redis deletes an expired value, and later writes
 * delete its entries in both sets. The scripts use the clock of Redis.
 */
const SWEEP = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function sweep(values, keys, expiries, limit)
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, limit)) do
    if redis.call('EXISTS', values .. key) == 0 then
      redis.call('ZREM', keys, key)
      redis.call('ZREM', expiries, key)
    end
  end
end`;

/**
 * Writes a value. Keys: value, keys, expiries. Arguments: prefix of value keys, key, text, expected version or '', time
 * to live, '' for none, or 'keep'.
 */
const PUT = `${SWEEP}
local version = tonumber(redis.call('HGET', KEYS[1], 'n') or '0')
if ARGV[4] ~= '' and tonumber(ARGV[4]) ~= version then return 0 end
redis.call('HSET', KEYS[1], 'n', string.format('%.0f', version + 1), 'v', ARGV[3])
redis.call('ZADD', KEYS[2], 0, ARGV[2])
if ARGV[5] == '' then
  redis.call('PERSIST', KEYS[1])
  redis.call('ZREM', KEYS[3], ARGV[2])
elseif ARGV[5] ~= 'keep' then
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[2])
end
sweep(ARGV[1], KEYS[2], KEYS[3], 3)
return version + 1`;

/** Deletes a value. Keys: value, keys, expiries. Arguments: key, expected version or ''. */
const DELETE = `
local version = redis.call('HGET', KEYS[1], 'n')
if not version or (ARGV[2] ~= '' and tonumber(ARGV[2]) ~= tonumber(version)) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1`;

/**
 * Lists values. Keys: keys, expiries.
 *
 * Arguments: prefix of value keys, first key, end of keys, limit. Returns key, text, version, …
 */
const LIST = `${SWEEP}
sweep(ARGV[1], KEYS[1], KEYS[2], 1000)
local found = {}
local from = ARGV[2]
local missing = tonumber(ARGV[4])
while missing > 0 do
  local keys = redis.call('ZRANGEBYLEX', KEYS[1], from, ARGV[3], 'LIMIT', 0, missing)
  for _, key in ipairs(keys) do
    local value = redis.call('HMGET', ARGV[1] .. key, 'v', 'n')
    if value[1] then
      found[#found + 1] = key
      found[#found + 1] = value[1]
      found[#found + 1] = value[2]
      missing = missing - 1
    end
    from = '(' .. key
  end
  if #keys == 0 then break end
end
return found`;

/**
 * Takes tokens from a bucket. Key: the bucket. Arguments: cost and capacity in milliseconds. Returns the time to wait.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + tonumber(ARGV[1])
local wait = full - now - tonumber(ARGV[2])
if wait > 0 then return math.max(1, math.ceil(wait)) end
if full > now then
  redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', string.format('%.0f', math.ceil(full - now)))
else
  redis.call('DEL', KEYS[1])
end
return 0`;

/** Publishes a message. Key: the channel. Argument: the message. */
const PUBLISH = `return redis.call('PUBLISH', KEYS[1], ARGV[1])`;

export const SCRIPTS = { put: PUT, delete: DELETE, list: LIST, take: TAKE, publish: PUBLISH } as const;
