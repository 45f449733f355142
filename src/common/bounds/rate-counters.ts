import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../logging/logger.js';
import { inTime } from './in-time.js';

/** Length of the window of a key. */
export const WINDOW_SECONDS = 60;
/** How long a request waits for the shared count, and how long no other request asks for it after a failure. */
const PATIENCE_MS = 100;
const REST_MS = 1_000;

/** Runs a Lua script in the Redis that all nodes share. */
export interface SharedScripts {
  evaluate(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Counts requests to this process. A refused one costs one point. */
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

/** Does the same for all nodes in one step: KEYS[1] is the key; ARGV is the cost, the seconds of a window and its points. */
const CONSUME = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
if consumed > tonumber(ARGV[3]) then redis.call('decrby', KEYS[1], ARGV[1] - 1) end
return {consumed, redis.call('pttl', KEYS[1])}`;

/** Counts requests to all nodes. While Redis does not answer in time, counts those to this node, and logs that once. */
export function sharedCounter(scripts: SharedScripts, local: RateLimiterMemory, logger: Logger): RateLimiterRedis {
  let restUntilMs = 0;
  let isShared = true;
  const evaluate: SharedScripts['evaluate'] = async (script, options) => {
    if (performance.now() < restUntilMs) throw new Error('the shared count is paused');
    try {
      const result = await inTime(scripts.evaluate(script, options), PATIENCE_MS, 'no count');
      if (!isShared) logger.info('requests are counted for all nodes together again');
      isShared = true;
      return result;
    } catch (error) {
      restUntilMs = performance.now() + REST_MS;
      if (isShared) logger.warn({ err: error }, 'Redis does not answer in time; this node counts requests by itself');
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
