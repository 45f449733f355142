import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.js';
import { projectFile } from '../../project-file.js';
import { asksForPage } from '../documents/operation-by-get.js';
import { answerPage, type PageFile, pageFile } from './page-answer.js';

/** One page for all consoles, made by the build: its script reads the service from the address. */
const PAGE = projectFile('dist/bundle/console.html.gz');
/** Everything is in the page, so nothing may be loaded from elsewhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The GraphiQL page of every endpoint: one file without a CDN. It shows a schema only after a key is entered. */
@Injectable()
export class Console {
  private page?: Promise<PageFile>;

  /** Answers a request to a GraphQL endpoint without an operation: the page for a browser, 405 for everything else. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!['GET', 'HEAD'].includes(request.method) || !asksForPage(request.headers.accept)) {
      const message = 'Send GraphQL operations by POST, or queries by GET; a browser that asks for text/html gets the console';
      throw new AppError('BAD_REQUEST', message, { status: 405, headers: { allow: 'GET, POST' } });
    }
    this.page ??= readFile(PAGE).then((gzipped) => pageFile('text/html; charset=utf-8', gzipped));
    return answerPage(request, reply, await this.page, { policy: CONTENT_SECURITY_POLICY, cacheControl: 'no-cache' });
  }
}
