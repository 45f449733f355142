import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.js';

export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_URL_PARAM_LENGTH = 200;
/** A connection on which not a byte moves for so long is closed. */
const IDLE_CONNECTION_MS = 65_000;

export function createFastifyAdapter(config: Config): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustProxy,
    // A whole request may take as long as a slow upload needs; a stalled one is ended by the idle limits.
    requestTimeout: 0,
    connectionTimeout: IDLE_CONNECTION_MS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    logger: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: MAX_URL_PARAM_LENGTH },
  });
}

/** A caller's own id is kept when it is harmless, so that one request can be followed through several logs. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
}
