import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import type { Access, KeyAccess } from '../auth/access.js';
import { Authenticator } from '../auth/authenticator.js';
import { type Caller, payerOf } from '../auth/caller.js';
import { ENDPOINTS } from '../auth/scopes.js';
import { MemoryBudget } from '../scheduling/memory-budget.js';
import { RateLimiter } from '../scheduling/rate-limiter.js';
import { everySecond } from '../scheduling/every-second.js';
import { AppError } from '../base/app-error.js';
import { Console } from '../graphql/console/console.js';
import { asksForPage, bringsOperation, checkSearch } from '../graphql/documents/operation-by-get.js';
import { Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { RequestCounts } from '../tenants/request-counts.js';
import { traceIdOf } from '../tracing/trace-context.js';
import { askForBody, checkAnnouncedLength, checkJsonBody, isContent } from './bodies/request-body.js';
import { Preflights } from './preflights.js';
import { PublicAddress } from './public-address.js';
import { notThere } from './refusals/http-errors.js';
import { leaveUnread } from './refusals/lingering-close.js';
import { checkEntries, checkHead, checkToken } from './request-checks.js';

const GRAPHQL_ACCESS = new Map<string, KeyAccess>(ENDPOINTS.map((service) => [`/${service}/graphql`, { service }]));
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS']);
const CLOSE_LOOK_MS = 20;
/** Time limit for the arrival of a body that is held in memory. */
const BODY_TIMEOUT_MS = 30_000;
const BODY_LOOK_MS = 1_000;
/** Share of the connections on which bodies of one tenant may take longer than a second. */
const SLOW_BODIES_SHARE = 1 / 4;

/** Headers of responses without their own policy: a browser executes nothing in them. */
const INERT = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Set for a scope whose routes move file contents: FILES_URL serves it, and its handlers check and stream bodies. */
    movesContent?: boolean;
  }
}

/** Decides on every request by its headers, before its body is read. Also writes the log line of each request. */
@Injectable()
export class RequestGate {
  /** Routes that declare no access, which are refused, or no class of work. The architecture test fails if there are any. */
  readonly undeclared: string[] = [];
  /** Writable for tests, which shorten it. */
  bodyTimeoutMs = BODY_TIMEOUT_MS;
  slowBodiesPerTenant = Infinity;
  private readonly open = new Set<FastifyReply>();
  private readonly preflights = new Preflights();
  /** Last valid origin, cached since most requests name the same. */
  private lastOrigin?: string;
  /** Paths from which browsers are redirected. Other clients get 404. */
  private readonly pages = new Map<string, string>();
  private readonly hints: ((request: FastifyRequest) => AppError | undefined)[] = [];

  constructor(
    private readonly authenticator: Authenticator,
    private readonly rateLimiter: RateLimiter,
    private readonly memory: MemoryBudget,
    private readonly console: Console,
    private readonly address: PublicAddress,
    private readonly metrics: Metrics,
    private readonly counts: RequestCounts,
    private readonly logger: Logger,
  ) {}

  /** Installs the hooks. Call it before the first route is registered. */
  install(server: FastifyInstance): void {
    for (const name of ['caller', 'operation', 'outcome', 'rate']) server.decorateRequest(name);
    server.addHook('onRoute', (route) => this.declare(route));
    // With this handler, a scope also gets requests without a route below its prefix, and its error handler formats their refusals.
    server.addHook('onRegister', (scope) => {
      if (scope.prefix) scope.setNotFoundHandler(refuseMissing);
    });
    server.addHook('onRequest', (request, reply, done) => {
      try {
        const pending = this.admit(request, reply);
        // Without a body to read, an answer could be sent before the parser has reached the end of the request.
        if (!pending && request.method === 'POST') return done();
        return Promise.resolve(pending); // Fastify also accepts a promise instead of the callback
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
    server.addHook('onSend', (request, reply, payload, done) => {
      if (!request.raw.complete) leaveUnread(request, reply);
      done(null, payload);
    });
    if (this.rateLimiter.isOn) server.addHook('onSend', async (request, reply) => this.tellRate(request, reply));
    server.addHook('onResponse', (request, reply, done) => {
      this.note(request, reply);
      done();
    });
    server.addHook('onRequestAbort', async (request) => this.noteAbort(request));
    server.addHook('preClose', async () => this.closeWhenDone(server));
    this.slowBodiesPerTenant = Math.max(Math.floor(server.server.maxConnections * SLOW_BODIES_SHARE), 1);
    server.server.once(
      'close',
      everySecond(() => this.endSlowBodies()),
    );
  }

  /**
   * Closes all connections once every request is answered. A closing server would otherwise wait for idle connections that browsers
   * and load balancers opened in advance.
   */
  private closeWhenDone(server: FastifyInstance): void {
    const timer = setInterval(() => this.open.size === 0 && server.server.closeAllConnections(), CLOSE_LOOK_MS);
    server.server.once('close', () => clearInterval(timer));
  }

  /** Redirects browsers that request a page at a path without a route. */
  redirectBrowsers(from: string, to: string): void {
    this.pages.set(from, to);
  }

  /** Adds a source of more helpful refusals for paths without a route. */
  addHint(hint: (request: FastifyRequest) => AppError | undefined): void {
    this.hints.push(hint);
  }

  private declare(route: RouteOptions): void {
    // A preflight reveals only the allowed methods and headers, and browsers send it without credentials.
    const preflight = route.method === 'OPTIONS' ? 'public' : undefined;
    const access = GRAPHQL_ACCESS.get(route.url) ?? route.config?.access ?? preflight;
    const hasWork = GRAPHQL_ACCESS.has(route.url) || preflight !== undefined || route.config?.work !== undefined;
    if (!access || !hasWork) this.undeclared.push(`${String(route.method)} ${route.url} states no ${access ? 'work' : 'access'}`);
    const runsOperations = GRAPHQL_ACCESS.has(route.url) || route.config?.runsOperations;
    route.config = { ...route.config, access, runsOperations };
    this.preflights.declare(route);
  }

  /** Returns a promise only if something must be awaited, or if the request is answered here. */
  private admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> | undefined {
    this.open.add(reply);
    reply.raw.once('close', () => this.open.delete(reply));
    void reply.header('x-request-id', request.id).headers(INERT);
    checkHead(request);
    const { url = '', config } = request.routeOptions;
    if (request.is404 || !this.address.serves(request.host, request.server.movesContent)) {
      return Promise.resolve(this.preflights.answer(request, reply) ?? this.refuseUnknown(request, reply));
    }
    const isGraphql = GRAPHQL_ACCESS.has(url);
    const preflight = isGraphql && this.preflights.answer(request, reply);
    if (preflight) return Promise.resolve(preflight);
    if (isGraphql && !bringsOperation(request)) return this.console.answer(request, reply);
    if (isGraphql && request.method === 'GET') void reply.header('cache-control', 'no-store');
    if (isGraphql) this.checkAddress(request);
    const checking = this.check(request, reply, config.access);
    return checking ? checking.then(() => this.askForBody(request, reply)) : this.askForBody(request, reply);
  }

  /** Runs the last step, once the caller is known: checks the headers of a body and requests the body. */
  private askForBody(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { url = '', bodyLimit, config } = request.routeOptions;
    if (GRAPHQL_ACCESS.has(url) && request.method === 'GET') checkSearch(request);
    if (isContent(request) || WITHOUT_BODY.has(request.method)) return undefined;
    checkAnnouncedLength(request.raw, bodyLimit);
    if (config.runsOperations) checkJsonBody(request.raw);
    const ask = (): void => {
      if (!request.raw.complete) askForBody(request.raw, reply.raw);
    };
    const memory = config.runsOperations ? this.memory.receive(request, reply, request.caller!) : undefined;
    return memory ? memory.then(ask) : void ask();
  }

  /** Refuses a host, of the request or a proxy, that is not valid in a URL, which the GraphQL engine requires. @throws BAD_REQUEST */
  private checkAddress({ protocol, hostname }: FastifyRequest): void {
    const origin = `${protocol}://${hostname}/`;
    if (origin === this.lastOrigin) return;
    if (!URL.canParse(origin)) {
      throw new AppError('BAD_REQUEST', 'The Host header, or the one forwarded by a proxy, must be a host name or an IP address');
    }
    this.lastOrigin = origin;
  }

  /** Refuses with 405 if the path has other methods, in the form of that path's refusals, and with 404 otherwise. */
  private refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = request.url.split('?', 1)[0]!;
    const page = this.pages.get(path);
    const isBrowser = page && ['GET', 'HEAD'].includes(request.method) && asksForPage(request.headers.accept);
    if (isBrowser && this.address.serves(request.host)) return reply.redirect(page, 302);
    const methods = this.address.serves(request.host, request.server.movesContent) ? methodsOf(path, request.server) : [];
    if (methods.length === 0) {
      const hint = this.address.serves(request.host) && this.hints.map((hintFor) => hintFor(request)).find(Boolean);
      throw hint || notThere(request);
    }
    // Hides OPTIONS: the endpoints register it, but the console refuses it.
    const allow = methods.filter((method) => method !== 'OPTIONS' || !GRAPHQL_ACCESS.has(path)).join(', ');
    const message = `${request.method} is not allowed here; the methods are ${allow}`;
    throw new AppError('BAD_REQUEST', message, { status: 405, headers: { allow } });
  }

  /** Checks open requests once a second: a timer for each would cost a small operation about 4 %. */
  private endSlowBodies(): void {
    const late = `The request body did not arrive within ${this.bodyTimeoutMs / 1000} s`;
    const many = `${this.slowBodiesPerTenant} bodies of the tenant already arrive slowly, the maximum; send each body at once`;
    const slowOf = new Map<string, number>();
    for (const reply of this.open) {
      const { raw, caller } = reply.request;
      if (raw.complete || reply.sent || isContent(reply.request) || reply.elapsedTime < BODY_LOOK_MS) continue;
      const tenantId = caller?.tenantId ?? '';
      const slow = (slowOf.get(tenantId) ?? 0) + 1;
      slowOf.set(tenantId, slow);
      if (reply.elapsedTime > this.bodyTimeoutMs) void reply.send(new AppError('BAD_REQUEST', late, { status: 408 }));
      else if (slow > this.slowBodiesPerTenant) void reply.send(new AppError('SERVICE_UNAVAILABLE', many));
    }
  }

  private check(request: FastifyRequest, reply: FastifyReply, access: Access | undefined): Promise<void> | undefined {
    if (access === 'public' || access === 'signed') return undefined;
    if (!access) throw new AppError('FORBIDDEN', 'This route declares no access');
    const { url = '', config } = request.routeOptions;
    const acceptsSessions = config.acceptsSessions || GRAPHQL_ACCESS.has(url);
    const caller = this.authenticator.authenticate(request.headers, acceptsSessions ? this.address : undefined);
    if (caller instanceof Promise) return caller.then((found) => this.checkScope(request, reply, found, access));
    return this.checkScope(request, reply, caller, access);
  }

  private checkScope(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    access: KeyAccess | 'key',
  ): Promise<void> | undefined {
    request.caller = caller;
    checkToken(caller, request, reply);
    const counted = this.rateLimiter.isOn ? this.countFirst(request, payerOf(caller)) : undefined;
    return counted ? counted.then(() => checkEntries(caller, access)) : checkEntries(caller, access);
  }

  /** Counts a request, except an operation, which is counted once its cost is known. Refuses a key without points in both cases. */
  private async countFirst(request: FastifyRequest, payer: string): Promise<void> {
    const { runsOperations } = request.routeOptions.config;
    request.rate = runsOperations ? this.rateLimiter.spent(payer) : await this.rateLimiter.take(payer, 1);
    if (request.rate?.isRefused) throw this.rateLimiter.refusal(1, request.rate);
  }

  /** Adds the rate headers. A request that did not become an operation costs one point. */
  private async tellRate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!request.caller) return;
    request.rate ??= await this.rateLimiter.take(payerOf(request.caller), 1);
    void reply.headers(this.rateLimiter.headersOf(request.rate));
  }

  /** Logs that the client closed the connection before sending everything; no answer is possible. */
  private noteAbort(request: FastifyRequest): void {
    const { method, id: requestId } = request;
    const traceId = traceIdOf(request);
    this.logger.info({ requestId, traceId, method, route: request.routeOptions.url }, 'request aborted by the client');
  }

  private note(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.is404 ? 'unknown' : request.routeOptions.url;
    if (request.caller) this.counts.note(request, reply.statusCode);
    const seconds = reply.elapsedTime / 1000;
    this.metrics.httpDuration.observe({ method: request.method, route, status: reply.statusCode }, seconds);
    const level = reply.statusCode >= 500 ? 'error' : route?.startsWith('/health') || route === '/metrics' ? 'debug' : 'info';
    if (!this.logger.isLevelEnabled(level)) return;
    this.logger[level](
      {
        requestId: request.id,
        traceId: traceIdOf(request),
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

/** Returns the methods with a route for a path. A wildcard adds its methods, but does not make a path exist. */
function methodsOf(path: string, server: FastifyInstance): string[] {
  const find = (method: HTTPMethods) => server.findRoute({ method, url: path });
  const methods = server.supportedMethods.filter(find).sort();
  return methods.some((method) => !('*' in find(method).params)) ? methods : [];
}

function refuseMissing(request: FastifyRequest): never {
  throw notThere(request);
}
