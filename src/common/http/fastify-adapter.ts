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
/** A connection is closed after this long without a byte. */
const IDLE_CONNECTION_MS = 65_000;
/** The head of a request has to arrive within this time, a new connection's first one too. */
const HEAD_TIMEOUT_MS = 30_000;
const HEAD_LOOK_MS = 1_000;
/** Connections that a node holds besides those of WebSockets. */
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
      requireHostHeader: false, // the gate refuses it, in the form of every refusal
    },
    // A whole request may take as long as a slow upload needs; a stalled one is ended by the idle limits.
    requestTimeout: 0,
    connectionTimeout: IDLE_CONNECTION_MS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    logger: false,
    skipMiddie: true, // an engine for Express's middleware, of which there is none
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: MAX_URL_PARAM_LENGTH },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      refuseAddress(error, request, reply, logger),
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, logger),
  });
  const server = adapter.getInstance().server as Server;
  server.maxConnections = Math.min(config.maxConnections + MAX_HTTP_CONNECTIONS, connectionsByOpenFiles());
  // Node would send 100 Continue at once. Here the gate and the routes for contents send it, after their checks.
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (...exchange) => server.emit('request', ...exchange));
  }
  return adapter;
}

/** Refuses an address that the router does not take. Such requests reach no hook. */
function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const refusal =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new AppError('BAD_REQUEST', `A part of the path is longer than ${MAX_URL_PARAM_LENGTH} characters`, { status: 414 })
      : new AppError('BAD_REQUEST', 'The path is not well-formed: % has to be followed by two hexadecimal digits of UTF-8');
  void reply.header('x-request-id', request.id);
  leaveUnread(request, reply);
  answerError(refusal, request, reply, logger);
}

/** Keeps a caller's own id if it is harmless, so that one request can be followed through several logs. */
function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,64}$/.test(header) ? header : randomUUID();
}
