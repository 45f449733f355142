import type { OutgoingHttpHeaders } from 'node:http';
import cors from '@fastify/cors';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { AppError, badInput, type ErrorCode, notFound } from '../../../../common/base/app-error.js';
import { answerError } from '../../../../common/http/refusals/http-errors.js';
import { Logger } from '../../../../common/logging/logger.js';
import { CHEAP } from '../../../../common/scheduling/work-class.js';
import { EVENTS_PATH } from '../../models/limits.js';
import { CLOSE } from '../closing.js';
import { ConnectionLifecycle } from '../connection-lifecycle.js';
import { readClientFrame } from '../frame.js';
import type { Refusal } from '../socket-listener.js';
import { plainAddress } from '../upgrades/source-address.js';
import { EventStreams } from './event-streams.js';

/** Any page may connect, as with a WebSocket: the token is the only credential, and can be bound to an origin. */
const CORS = {
  origin: '*',
  methods: ['GET', 'POST'],
  allowedHeaders: ['content-type', 'last-event-id'],
  exposedHeaders: ['retry-after', 'x-request-id'],
  maxAge: 86_400,
  strictPreflight: false, // strict refusals do not have this API's error format
};
const MAX_ACKNOWLEDGEMENT = 4 * 1024;

interface EventsRoute {
  Querystring: { token?: unknown; connection?: unknown };
  Body: string | undefined;
}

/** Serves event streams by GET, and receives their acknowledgements by POST. */
@Injectable()
export class EventStreamController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly streams: EventStreams,
    private readonly lifecycle: ConnectionLifecycle,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope) => this.route(scope), { prefix: EVENTS_PATH });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    await scope.register(cors, CORS);
    const signed: RouteShorthandOptions = {
      config: { access: 'signed', work: CHEAP },
      bodyLimit: MAX_ACKNOWLEDGEMENT,
      exposeHeadRoute: false,
    };
    scope.get<EventsRoute>('', signed, (request, reply) => this.open(request, reply));
    scope.post<EventsRoute>('', signed, (request, reply) => this.acknowledge(request, reply));
  }

  private async open(request: FastifyRequest<EventsRoute>, reply: FastifyReply): Promise<FastifyReply> {
    const { headers, ip, query } = request;
    const lastEventId = headers['last-event-id'];
    const asked = {
      token: textOf(query.token),
      source: plainAddress(ip),
      origin: headers.origin?.toLowerCase(),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    };
    void reply.header('cache-control', 'no-store');
    const refusal = await this.streams.open(asked, reply.raw, reply.getHeaders() as OutgoingHttpHeaders);
    if (refusal) throw errorOf(refusal);
    return reply.hijack();
  }

  private async acknowledge({ query, body = '' }: FastifyRequest<EventsRoute>, reply: FastifyReply): Promise<FastifyReply> {
    const holder = this.lifecycle.listener.holderOf(textOf(query.token));
    if (!holder) throw errorOf(CLOSE.badToken);
    const connectionId = textOf(query.connection);
    if (!connectionId) throw badInput('connection', 'missing in the query; send the id of the event "connection"');
    const { ack, mark } = readClientFrame(body);
    if (ack === undefined && !mark)
      throw badInput(
        'ack',
        'the body must be {"ack": "<id>"}, with the id of a received message, or {"read": "<id>"} for an inbox',
      );
    const acknowledgement = {
      ...holder,
      connectionId,
      ...(ack !== undefined && { id: ack }),
      ...(mark && { mark }),
      bytes: body.length,
    };
    const isKnown = this.streams.acknowledge(acknowledgement) || (await this.lifecycle.listener.passOn(acknowledgement));
    if (!isKnown) throw notFound('The connection');
    return reply.code(204).send();
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Closes the connection: through a proxy, the next attempt on a new one can reach another node. */
const LATER = { 'retry-after': '2', connection: 'close' };
const CODES: { [status: number]: ErrorCode } = { 403: 'FORBIDDEN', 404: 'NOT_FOUND', 503: 'SERVICE_UNAVAILABLE' };

/** Returns the answer for a refusal. All but 200 stop the reconnecting of a browser. */
function errorOf(refusal: Refusal): AppError {
  if ('status' in refusal) {
    return new AppError(CODES[refusal.status] ?? 'BAD_REQUEST', refusal.message, {
      status: refusal.status,
      headers: refusal.status === 503 ? LATER : {},
    });
  }
  const { code, reason } = refusal;
  if (code === CLOSE.badToken.code) return new AppError('UNAUTHENTICATED', `${reason}; ask the application for a new URL`);
  return code === CLOSE.disconnected.code
    ? new AppError('FORBIDDEN', reason)
    : new AppError('SERVICE_UNAVAILABLE', reason, { headers: LATER });
}
