import cors from '@fastify/cors';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerError } from '../../common/http/http-errors.js';
import { Log } from '../../common/logging/log.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { FileContentService, type StoredFile } from './file-content.service.js';
import { CONTENT_PATH, type UrlSignature } from './file-urls.js';

/** Types that a browser would run or interpret in our origin. */
const ACTIVE_CONTENT = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml|(text|application)\/([\w.-]+\+)?xml)\b/i;
const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'PUT'],
  allowedHeaders: ['content-type', 'content-disposition', 'range', 'if-none-match', 'if-range'],
  exposedHeaders: ['etag', 'content-disposition', 'content-length', 'content-range', 'accept-ranges', 'x-request-id'],
  maxAge: 86_400,
};

type ContentRequest = FastifyRequest<{ Params: { id: string }; Querystring: UrlSignature }>;

/**
 * The byte routes. They live in a Fastify scope of their own, whose parser hands on the raw stream whatever its type,
 * so that a file of JSON is not parsed and no body is ever held in memory.
 */
@Injectable()
export class FileContentController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly contents: FileContentService,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register(async (scope) => this.route(scope), { prefix: CONTENT_PATH });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.log));
    await scope.register(cors, CORS);
    const config = { access: 'signed' } as const;
    scope.put('/:id', { config, bodyLimit: Number.MAX_SAFE_INTEGER }, (request, reply) =>
      this.put(request as ContentRequest, reply),
    );
    scope.get('/:id', { config, exposeHeadRoute: false }, (request, reply) => this.get(request as ContentRequest, reply));
    scope.head('/:id', { config }, (request, reply) => this.head(request as ContentRequest, reply));
  }

  private async put(request: ContentRequest, reply: FastifyReply): Promise<FastifyReply> {
    const etag = await this.contents.upload({
      id: request.params.id,
      url: request.query,
      headers: {
        contentLength: request.headers['content-length'],
        contentType: request.headers['content-type'],
        contentDisposition: request.headers['content-disposition'],
      },
      content: request.raw,
    });
    return reply.header('etag', etag).send();
  }

  private async get(request: ContentRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { row, content } = await this.contents.download(request.params.id, request.query);
    content.on('data', (chunk: Buffer) => this.metrics.contentBytes.inc({ direction: 'out' }, chunk.length));
    return describe(row, reply).send(content);
  }

  private async head(request: ContentRequest, reply: FastifyReply): Promise<FastifyReply> {
    return describe(await this.contents.head(request.params.id, request.query), reply).send();
  }
}

function describe(row: StoredFile, reply: FastifyReply): FastifyReply {
  // Before Content-Length: Node re-encodes a Content-Disposition that comes after it, and other bytes would be sent.
  if (row.disposition !== null) void reply.header('content-disposition', row.disposition);
  void reply.headers({
    'content-type': row.contentType,
    'content-length': String(row.contentLength),
    etag: row.etag ?? undefined,
    'last-modified': row.storedAt?.toUTCString(),
    'cache-control': row.public ? 'no-cache' : 'private, no-store',
    'x-content-type-options': 'nosniff',
  });
  if (ACTIVE_CONTENT.test(row.contentType)) void reply.header('content-security-policy', 'sandbox');
  return reply;
}
