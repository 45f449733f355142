import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Access, KeyAccess } from '../auth/access.js';
import { Authenticator } from '../auth/authenticator.js';
import { RateLimiter } from '../auth/rate-limiter.js';
import { missingEntry, SERVICES, touchesService } from '../auth/scopes.js';
import { MemoryBudget } from '../bounds/memory-budget.js';
import { AppError } from '../errors/app-error.js';
import { Console } from '../graphql/console.js';
import { Log } from '../logging/log.js';
import { Metrics } from '../metrics/metrics.js';

const GRAPHQL_ACCESS = new Map<string, KeyAccess>(SERVICES.map((service) => [`/${service}/graphql`, { service }]));
const CLOSE_LOOK_MS = 20;

/** Of every answer that has no policy of its own: whatever it is, a browser runs nothing of it. */
const INERT = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Names, addresses and ports; what else a client writes there could not be made a URL of. */
const HOST = /^[\w.:[\]-]*$/;

/** Decides over every request from its headers alone, before its body is read; and writes its one line of log. */
@Injectable()
export class RequestGate {
  /** Routes that declare no access. They are refused; the architecture test wants none. */
  readonly undeclared: string[] = [];
  private readonly open = new Set<FastifyRequest>();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly rateLimiter: RateLimiter,
    private readonly memory: MemoryBudget,
    private readonly console: Console,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** To be called before the first route is registered. */
  install(server: FastifyInstance): void {
    server.decorateRequest('caller');
    server.decorateRequest('operation');
    server.decorateRequest('rate');
    server.addHook('onRoute', (route) => this.declare(route));
    server.addHook('onRequest', async (request, reply) => this.admit(request, reply));
    if (this.rateLimiter.isOn) server.addHook('onSend', async (request, reply) => this.tellRate(request, reply));
    server.addHook('onResponse', async (request, reply) => this.note(request, reply));
    server.addHook('onRequestAbort', async (request) => this.noteAbort(request));
    server.addHook('preClose', async () => this.closeWhenDone(server));
  }

  /**
   * A closing server waits for connections that were opened ahead and never sent a request, as browsers and balancers
   * do, as if they were at work. Once every request is answered, whatever is still open has nothing to lose.
   */
  private closeWhenDone(server: FastifyInstance): void {
    const timer = setInterval(() => this.open.size === 0 && server.server.closeAllConnections(), CLOSE_LOOK_MS);
    server.server.once('close', () => clearInterval(timer));
  }

  private declare(route: RouteOptions): void {
    // A preflight tells nothing but what the server allows, and a browser sends it without credentials.
    const preflight = route.method === 'OPTIONS' ? 'public' : undefined;
    const access = GRAPHQL_ACCESS.get(route.url) ?? route.config?.access ?? preflight;
    if (!access) this.undeclared.push(`${String(route.method)} ${route.url}`);
    route.config = { ...route.config, access };
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    this.open.add(request);
    reply.raw.once('close', () => this.open.delete(request));
    void reply.header('x-request-id', request.id).headers(INERT);
    if (!HOST.test(request.headers.host ?? '')) throw new AppError('BAD_REQUEST', 'The Host header is malformed');
    if (request.is404) return;
    const { access } = request.routeOptions.config;
    if (GRAPHQL_ACCESS.has(request.routeOptions.url ?? '')) {
      if (request.method !== 'POST') return this.console.answer(request, reply);
      checkAddress(request);
    }
    await this.check(request, access);
    if (request.caller && GRAPHQL_ACCESS.has(request.routeOptions.url ?? '')) {
      await this.memory.receive(request, reply, request.caller);
    }
  }

  private async check(request: FastifyRequest, access: Access | undefined): Promise<void> {
    if (access === 'public' || access === 'signed') return;
    if (!access) throw new AppError('FORBIDDEN', 'This route declares no access');
    const caller = await this.authenticator.authenticate(request.headers['x-api-key']);
    request.caller = caller;
    if (this.rateLimiter.isOn) await this.countFirst(request, caller.keyId);
    const { service, kind, operation } = access;
    if (!touchesService(caller.scope, service)) {
      throw new AppError('FORBIDDEN', `The key has no scope entry of ${service}-api`);
    }
    const missing = kind && operation && missingEntry(caller.scope, service, kind, operation);
    if (missing) throw new AppError('FORBIDDEN', `The key's scope lacks the entry ${missing}`);
  }

  /** An operation is counted once its cost is known; a key that has nothing left is not read from until then. */
  private async countFirst(request: FastifyRequest, keyId: string): Promise<void> {
    const isOperation = GRAPHQL_ACCESS.has(request.routeOptions.url ?? '');
    request.rate = isOperation ? this.rateLimiter.spent(keyId) : await this.rateLimiter.take(keyId, 1);
    if (request.rate?.isRefused) throw this.rateLimiter.refusal(1, request.rate);
  }

  /** What came to no operation costs a point too. */
  private async tellRate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!request.caller) return;
    request.rate ??= await this.rateLimiter.take(request.caller.keyId, 1);
    void reply.headers(this.rateLimiter.headersOf(request.rate));
  }

  /** The client closed the connection before it had sent all; nobody hears an answer. */
  private noteAbort(request: FastifyRequest): void {
    const { method, id: requestId } = request;
    this.log.info({ requestId, method, route: request.routeOptions.url }, 'request aborted by the client');
  }

  private note(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.is404 ? 'unknown' : request.routeOptions.url;
    const seconds = reply.elapsedTime / 1000;
    this.metrics.httpDuration.observe({ method: request.method, route, status: reply.statusCode }, seconds);
    const level = reply.statusCode >= 500 ? 'error' : route?.startsWith('/health') || route === '/metrics' ? 'debug' : 'info';
    if (!this.log.isLevelEnabled(level)) return;
    this.log[level](
      {
        requestId: request.id,
        method: request.method,
        route,
        operation: request.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        tenantId: request.caller?.tenantId,
        key: request.caller?.keyPrefix,
      },
      'request',
    );
  }
}

/** The GraphQL engine is given the address of a request as a URL, also as far as a trusted proxy says it. @throws BAD_REQUEST */
function checkAddress({ protocol, hostname }: FastifyRequest): void {
  if (URL.canParse(`${protocol}://${hostname}/`)) return;
  throw new AppError(
    'BAD_REQUEST',
    'The Host header, or what a proxy forwards in its place, is not the name or address of a host',
  );
}
