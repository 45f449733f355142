import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { readCookie, writeCookie } from '../common/auth/session-cookie.js';
import { checkSameOrigin } from '../common/auth/session-door.js';
import { MAX_ROLES, type Session, SESSION_SECONDS, SessionsService } from '../common/auth/sessions.service.js';
import { AppError } from '../common/base/app-error.js';
import { PublicAddress } from '../common/http/public-address.js';
import { answerError } from '../common/http/refusals/http-errors.js';
import { Logger } from '../common/logging/logger.js';
import { CHEAP } from '../common/scheduling/work-class.js';
import { PAGE_HEADERS, refusalPage } from '../modules/email/link-pages/page-html.js';
import { CALLBACK, Issuer } from './issuer.js';
import { SIGN_IN_SECONDS, SignInState } from './sign-in-state.js';

const PUBLIC: RouteShorthandOptions = { config: { access: 'public', work: CHEAP } };
/** The handler checks the session, which is in no tenant yet. */
const BY_SESSION: RouteShorthandOptions = { config: { access: 'signed', work: CHEAP } };
/** Pages that a sign-in may return to. */
const PAGE = /^\/studio(\/[\x21-\x7e]{0,2000})?$/;
/** Maximum length of a tenant name. */
const MAX_FROM = 256;
const FIRST_PAGE = '/studio';
const AGAIN = `; open ${FIRST_PAGE} and sign in again`;

/** Routes of people: sign-in at the issuer, the session with its tenants, and sign-out. */
@Injectable()
export class PeopleController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly address: PublicAddress,
    private readonly issuer: Issuer,
    private readonly state: SignInState,
    private readonly sessions: SessionsService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register(async (scope) => this.route(scope));
  }

  private route(scope: FastifyInstance): void {
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    const asPage = { ...PUBLIC, errorHandler: this.answerWithPage.bind(this) };
    scope.get<{ Querystring: { to?: unknown } }>('/session/sign-in', asPage, ({ query }, reply) => this.begin(query.to, reply));
    scope.get(CALLBACK, asPage, (request, reply) => this.finish(request, reply));
    scope.get<{ Querystring: { from?: unknown } }>('/session', BY_SESSION, async (request, reply) => {
      const session = await this.sessionOf(request);
      const { from } = request.query;
      const tenants = await this.sessions.tenantsOf(
        session,
        typeof from === 'string' ? from.slice(0, MAX_FROM).toWellFormed() : '',
      );
      return reply.header('cache-control', 'no-store').send({ name: session.name, expiresAt: session.expiresAt, tenants });
    });
    scope.post('/session/sign-out', BY_SESSION, (request, reply) => this.end(request, reply));
  }

  private get isSecure(): boolean {
    return this.address.http.startsWith('https:');
  }

  private async begin(to: unknown, reply: FastifyReply): Promise<FastifyReply> {
    const { url, checks } = await this.issuer.begin();
    const sealed = this.state.seal(checks, typeof to === 'string' && PAGE.test(to) ? to : FIRST_PAGE);
    const cookie = writeCookie('sign-in', sealed, { seconds: SIGN_IN_SECONDS, isSecure: this.isSecure });
    return reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).redirect(url, 302);
  }

  /**
   * Ends a sign-in. The browser comes from the site of the issuer and so sends no SameSite=Strict cookie, here and with the page that
   * it is redirected to; the requests of that page have the session.
   */
  private async finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const begun = this.state.open(readCookie(request.headers, 'sign-in', this.isSecure));
    if (!begun)
      throw new AppError('BAD_REQUEST', `This sign-in did not begin in this browser, or more than 10 minutes ago${AGAIN}`);
    const search = request.url.slice(CALLBACK.length);
    const { person, roles } = await this.issuer.finish(search, begun);
    if (roles.length === 0)
      throw new AppError('FORBIDDEN', `${person.name} has no role here; ask the operator of this server for one`);
    if (roles.length > MAX_ROLES) throw new AppError('FORBIDDEN', `${person.name} has more than ${MAX_ROLES} roles, the maximum`);
    const token = await this.sessions.create(person, roles);
    this.logger.info({ roles }, 'a person signed in');
    const { isSecure } = this;
    const cookies = [
      writeCookie('session', token, { seconds: SESSION_SECONDS, isSecure }),
      writeCookie('sign-in', '', { seconds: 0, isSecure }),
    ];
    return reply.headers({ 'set-cookie': cookies, 'cache-control': 'no-store' }).redirect(this.address.http + begun.to, 302);
  }

  /** Ends the session, on every node within 5 s. Answers with the page at which the issuer ends its own. */
  private async end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await this.sessionOf(request);
    await this.sessions.revoke(session.id);
    this.logger.info({ sessionId: session.id }, 'a person signed out');
    const cookie = writeCookie('session', '', { seconds: 0, isSecure: this.isSecure });
    return reply
      .headers({ 'set-cookie': cookie, 'cache-control': 'no-store' })
      .send({ url: (await this.issuer.endUrl()) ?? null });
  }

  /** @throws UNAUTHENTICATED without a live session; FORBIDDEN for a request of another site */
  private async sessionOf({ headers }: FastifyRequest): Promise<Session> {
    const token = readCookie(headers, 'session', this.isSecure);
    if (token !== undefined) checkSameOrigin(headers, this.address.http);
    const session = token === undefined ? undefined : await this.sessions.find(token);
    if (!session) throw new AppError('UNAUTHENTICATED', 'Nobody is signed in, or the session has ended; sign in');
    return session;
  }

  /** Responds with an HTML page, since a person is reading. */
  private answerWithPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (!(error instanceof AppError)) return answerError(error, request, reply, this.logger);
    void reply
      .code(error.status)
      .headers({ ...error.headers, ...PAGE_HEADERS })
      .send(refusalPage(error.message));
  }
}
