// Room: Serves content by PUT and GET.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import cors from '@fastify/cors';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { answerError } from '../../../common/http/refusals/http-errors.js';
import { askForBody } from '../../../common/http/bodies/request-body.js';
import { Logger } from '../../../common/logging/logger.js';
import { CONTENT_PATH, type UrlSignature } from '../file-storage/file-urls.js';
import type { AnnouncedBytes } from '../content-rules/announced-bytes.js';
import { ArchiveDownloads } from '../archives/archive-downloads.js';
import { conditionsOf, FileDownloads } from './file-downloads.js';
import { FileContentService } from './file-content.service.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { TRANSFER } from '../../../common/scheduling/work-class.js';

const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'PUT'],
  allowedHeaders: [
    'content-type',
    'content-disposition',
    'content-encoding',
    'range',
    'if-match',
    'if-none-match',
    'if-modified-since',
    'if-unmodified-since',
    'if-range',
  ],
  exposedHeaders: [
    'etag',
    'content-disposition',
    'content-length',
    'content-range',
    'accept-ranges',
    'retry-after',
    'x-request-id',
  ],
  maxAge: 86_400,
  strictPreflight: false, // strict refusals do not have this API's error format
};

interface FileRoute {
  Params: { id: string };
  Querystring: UrlSignature;
}
interface ArchiveRoute {
  Querystring: UrlSignature;
}
interface PartRoute {
  Params: { id: string; uploadId: string; partNumber: string };
  Querystring: UrlSignature;
}

/**
 * Serves the content routes in a separate Fastify scope. Its parser passes on the raw stream of any type, so bodies are neither
 * parsed nor held in memory.
 */
@Injectable()
export class FileContentController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly contents: FileContentService,
    private readonly downloads: FileDownloads,
    private readonly archives: ArchiveDownloads,
    private readonly multipart: MultipartService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope) => this.route(scope), { prefix: CONTENT_PATH });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    scope.decorate('movesContent', true);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    await scope.register(cors, CORS);
    const signed: RouteShorthandOptions = {
      config: { access: 'signed', work: TRANSFER },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      exposeHeadRoute: false,
    };
    scope.put<FileRoute>('/:id', signed, (request, reply) => this.put(request, reply));
    scope.put<PartRoute>('/:id/parts/:uploadId/:partNumber', signed, (request, reply) => this.putPart(request, reply));
    scope.get<ArchiveRoute>('/archive', signed, (request, reply) => this.archives.answer(request, reply));
    scope.head<ArchiveRoute>('/archive', signed, (request, reply) => this.archives.answer(request, reply));
    scope.get<FileRoute>('/:id', signed, (request, reply) => this.downloads.answer(request, reply));
    scope.head<FileRoute>('/:id', signed, (request, reply) => this.downloads.answer(request, reply));
  }

  private async put(request: FastifyRequest<FileRoute>, reply: FastifyReply): Promise<FastifyReply> {
    const { headers } = request;
    const etag = await this.contents.upload({
      id: request.params.id,
      url: request.query,
      headers: {
        ...announcedBy(headers),
        contentType: headers['content-type'],
        contentDisposition: headers['content-disposition'],
        conditions: conditionsOf(request),
      },
      ...bodyOf(request, reply),
    });
    return reply.header('etag', etag).send();
  }

  private async putPart(request: FastifyRequest<PartRoute>, reply: FastifyReply): Promise<FastifyReply> {
    const { id, uploadId, partNumber } = request.params;
    const headers = announcedBy(request.headers);
    const part = { fileId: id, uploadId, partNumber, url: request.query, headers, ...bodyOf(request, reply) };
    return reply.header('etag', await this.multipart.putPart(part)).send();
  }
}

function announcedBy(headers: IncomingHttpHeaders): AnnouncedBytes {
  return {
    contentLength: headers['content-length'],
    contentEncoding: headers['content-encoding'],
    contentRange: headers['content-range'],
  };
}

/** Returns the body, and a callback that sends `100 Continue` to a client that waits for it. */
function bodyOf(request: FastifyRequest, reply: FastifyReply): { content: Readable; ask: () => void } {
  return { content: request.raw, ask: () => askForBody(request.raw, reply.raw) };
}
