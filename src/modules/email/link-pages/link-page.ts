import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { AppError } from '../../../common/base/app-error.js';
import { answerError } from '../../../common/http/refusals/http-errors.js';
import type { Logger } from '../../../common/logging/logger.js';
import { CHEAP } from '../../../common/scheduling/work-class.js';
import { PAGE_HEADERS, refusalPage } from './page-html.js';

const MAX_FORM_BYTES = 4_096;

interface LinkRoute {
  Querystring: { token?: unknown };
  Body: string | undefined;
}

/** Page behind a link in a mail. The token in its URL is the only credential. */
export interface LinkPage {
  path: string;
  /** Returns the page. Changes nothing, since mail scanners open links too. */
  show(token: string): Promise<string>;
  /** Performs the action of the button, and returns the page that confirms it. Idempotent. */
  act(token: string, form: string): Promise<string>;
}

/** Serves a page by GET and POST. */
export function serveLinkPage(server: FastifyInstance, page: LinkPage, logger: Logger): void {
  void server.register(
    async (scope) => {
      // Accept any content type, as browsers and mail programs differ. The text of a form is searched, not parsed.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
      scope.setErrorHandler((error, request, reply) => refuse(error, request, reply, logger));
      const signed: RouteShorthandOptions = { config: { access: 'signed', work: CHEAP }, bodyLimit: MAX_FORM_BYTES };
      const answer = async (reply: FastifyReply, html: Promise<string>) => reply.headers(PAGE_HEADERS).send(await html);
      scope.get<LinkRoute>('', signed, (request, reply) => answer(reply, page.show(tokenOf(request.query))));
      scope.post<LinkRoute>('', signed, (request, reply) =>
        answer(reply, page.act(tokenOf(request.query), typeof request.body === 'string' ? request.body : '')),
      );
    },
    { prefix: page.path },
  );
}

/** Responds with an HTML error page, since a person followed the link. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  if (!(error instanceof AppError)) return answerError(error, request, reply, logger);
  void reply
    .code(error.status)
    .headers({ ...error.headers, ...PAGE_HEADERS })
    .send(refusalPage(error.message));
}

const tokenOf = ({ token }: LinkRoute['Querystring']): string => (typeof token === 'string' ? token : '');
