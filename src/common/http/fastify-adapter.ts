import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BODY_BYTES } from '../scheduling/memory-budget.js';
import type { Config } from '../config/config.js';
import { AppError } from '../base/app-error.js';
import type { Logger } from '../logging/logger.js';
import { connectionsByOpenFiles } from './open-files.js';
import { answerError } from './refusals/http-errors.js';
import { leaveUnread } from './refusals/lingering-close.js';
import { refuseUnparsed } from './refusals/parser-refusals.js';
import { webSocketsOnly } from './upgrades.js';

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_URL_PARAM_LENGTH = 200;
/** Path of a GraphQL endpoint with a slash at its end, which is ignored. */
const ENDPOINT_WITH_SLASH = /^(\/[a-z-]+\/graphql)\/(?=\?|$)/;
/** Idle time after which a connection is closed. */
const IDLE_CONNECTION_MS = 65_000;
/** Time limit for the request headers, including the first ones of a new connection. */
const HEAD_TIMEOUT_MS = 30_000;
const HEAD_LOOK_MS = 1_000;
/** Maximum number of connections of a node, not counting WebSockets. */
const MAX_HTTP_CONNECTIONS = 10_000;

export function createFastifyAdapter(config: Config, logger: Logger): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustProxy,
    http: {
      ...webSocketsOnly,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: HEAD_LOOK_MS,
      requireHostHeader: false, // the gate refuses it, in the common form
    },
    // No limit for a whole request, since uploads can be slow. Idle limits end stalled ones.
    requestTimeout: 0,
    connectionTimeout: IDLE_CONNECTION_MS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    logger: false,
    skipMiddie: true, // engine for Express middleware, which is not used
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    rewriteUrl: ({ url = '' }) => url.replace(ENDPOINT_WITH_SLASH, '$1'),
    routerOptions: { maxParamLength: MAX_URL_PARAM_LENGTH },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      refuseAddress(error, request, reply, logger),
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, logger),
  });
  const server = adapter.getInstance().server as Server;
  server.maxConnections = Math.min(config.maxConnections + MAX_HTTP_CONNECTIONS, connectionsByOpenFiles());
  // Node would send 100 Continue at once. The gate and the content routes send it after their checks.
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (...exchange) => server.emit('request', ...exchange));
  }
  return adapter;
}

/** Refuses a URL that the router rejects. Such requests reach no hook. */
function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const refusal =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new AppError('BAD_REQUEST', `A part of the path is longer than ${MAX_URL_PARAM_LENGTH} characters`, { status: 414 })
      : new AppError('BAD_REQUEST', 'The path is not well-formed: % has to be followed by two hexadecimal digits of UTF-8');
  void reply.header('x-request-id', request.id);
  leaveUnread(request, reply);
  answerError(refusal, request, reply, logger);
}

/** Returns the caller's request id if it is harmless, so that one request can be followed through several logs. */
function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,64}$/.test(header) ? header : randomUUID();
}
