import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { AppError } from '../../../common/errors/app-error.js';
import { answerError } from '../../../common/http/refusals/http-errors.js';
import { Logger } from '../../../common/logging/logger.js';
import { IdentitiesService, VERIFY_PATH } from './identities.service.js';
import { type IdentityRequest, PAGE_HEADERS, pageOf, refusalPage } from './identity-page.js';
import { CHEAP } from '../../../common/work/work-class.js';

const MAX_FORM_BYTES = 1_024;

interface LinkRoute {
  Querystring: { token?: unknown };
}

/** Serves the page of a validation link. Only the button on the page validates, since mail scanners open links too. */
@Injectable()
export class IdentityPageController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly identities: IdentitiesService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope) => this.route(scope), { prefix: VERIFY_PATH });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    // The form has no fields, so its body is ignored, whatever content type a browser sends; the token is in the address.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, undefined));
    scope.setErrorHandler((error, request, reply) => this.refuse(error, request, reply));
    const signed: RouteShorthandOptions = { config: { access: 'signed', work: CHEAP }, bodyLimit: MAX_FORM_BYTES };
    scope.get<LinkRoute>('', signed, (request, reply) => this.answer(reply, this.identities.find(tokenOf(request))));
    scope.post<LinkRoute>('', signed, (request, reply) => this.answer(reply, this.identities.verify(tokenOf(request))));
  }

  private async answer(reply: FastifyReply, request: Promise<IdentityRequest>): Promise<FastifyReply> {
    return reply.headers(PAGE_HEADERS).send(pageOf(await request));
  }

  /** Answers with an HTML page, since a person followed the link. */
  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (!(error instanceof AppError)) return answerError(error, request, reply, this.logger);
    void reply
      .code(error.status)
      .headers({ ...error.headers, ...PAGE_HEADERS })
      .send(refusalPage(error.message));
  }
}

function tokenOf({ query }: FastifyRequest<LinkRoute>): string {
  return typeof query.token === 'string' ? query.token : '';
}
