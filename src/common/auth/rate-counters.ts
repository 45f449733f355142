import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Log } from '../logging/log.js';

/** How long a request waits for the shared count, and how long nobody asks again after it was not there. */
const PATIENCE_MS = 100;
const REST_MS = 1_000;

/** Runs a Lua script in the Redis that all nodes share. */
export interface SharedScripts {
  evaluate(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Counts of this node. What is refused costs one point. */
export class LocalCounter extends RateLimiterMemory {
  override async consume(key: string, points = 1): Promise<RateLimiterRes> {
    try {
      return await super.consume(key, points);
    } catch (refusal) {
      if (points > 1) await this.reward(key, points - 1);
      throw refusal;
    }
  }
}

/** The same in one step for all nodes: KEYS[1] is the key, ARGV the points, the seconds of a window, and its points. */
const CONSUME = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
if consumed > tonumber(ARGV[3]) then redis.call('decrby', KEYS[1], ARGV[1] - 1) end
return {consumed, redis.call('pttl', KEYS[1])}`;

/** Counts of all nodes; where they cannot be had in time, those of this node, which the log tells once. */
export function sharedCounter(scripts: SharedScripts, local: RateLimiterMemory, log: Log): RateLimiterRedis {
  let restUntilMs = 0;
  let isShared = true;
  const evaluate: SharedScripts['evaluate'] = async (script, options) => {
    if (Date.now() < restUntilMs) throw new Error('the shared count rests');
    try {
      const result = await inTime(scripts.evaluate(script, options));
      if (!isShared) log.info('requests are counted for all nodes together again');
      isShared = true;
      return result;
    } catch (error) {
      restUntilMs = Date.now() + REST_MS;
      if (isShared) log.warn({ err: error }, 'Redis gives no count in time; this node counts requests by itself');
      isShared = false;
      throw error;
    }
  };
  return new RateLimiterRedis({
    storeClient: { eval: evaluate },
    useRedisPackage: true,
    customIncrTtlLuaScript: CONSUME,
    keyPrefix: 'platform-services:rate',
    points: local.points,
    duration: local.duration,
    insuranceLimiter: local,
  });
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // One more turn: an answer that came while this process was busy is read after its timers.
    timer = setTimeout(() => setImmediate(() => reject(new Error(`no count within ${PATIENCE_MS} ms`))), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
