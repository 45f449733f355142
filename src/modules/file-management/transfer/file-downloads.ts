import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../common/base/app-error.js';
import { FileContentService } from './file-content.service.js';
import { cacheControl } from '../content-rules/cache-control.js';
import { type StoredFile, versionOf } from '../file-storage/file-row.js';
import type { UrlSignature } from '../file-storage/file-urls.js';
import { checkIsWanted, type Conditions, isUnchanged, type Version } from '../content-rules/conditions.js';
import { type RangeHeaders, wantedRange } from '../content-rules/range.js';
import { safePresentation } from '../content-rules/safe-presentation.js';

type ContentRequest = FastifyRequest<{ Params: { id: string }; Querystring: UrlSignature }>;

/** Answers GET and HEAD with preconditions, one range, or a redirect to the store. */
@Injectable()
export class FileDownloads {
  constructor(private readonly contents: FileContentService) {}

  /** Answers a GET or HEAD. @throws FORBIDDEN for a service worker request, since the worker would control all pages of the origin */
  async answer(request: ContentRequest, reply: FastifyReply): Promise<FastifyReply> {
    if ('service-worker' in request.headers) throw new AppError('FORBIDDEN', 'A file cannot be used as a service worker');
    const row = await this.contents.find(request.params.id, request.query);
    const version = versionOf(row)!;
    const conditions = conditionsOf(request);
    checkIsWanted(conditions, version);
    if (isUnchanged(conditions, version)) return describeVersion(row, version, reply).code(304).send();
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const direct = canGoToStore(conditions) ? await this.contents.presigned(row, method) : undefined;
    if (direct) return reply.code(307).header('location', direct).header('cache-control', 'private, no-store').send();
    return this.send(request, row, reply);
  }

  private async send(request: ContentRequest, row: StoredFile, reply: FastifyReply): Promise<FastifyReply> {
    const sizeBytes = Number(row.contentLength);
    const version = versionOf(row)!;
    const range = request.method === 'HEAD' ? 'whole' : wantedRange(rangeOf(request), version, sizeBytes);
    if (range === 'unsatisfiable') {
      const headers = { 'content-range': `bytes */${sizeBytes}` };
      throw new AppError('BAD_USER_INPUT', `The range begins after the last of ${sizeBytes} bytes`, { status: 416, headers });
    }
    if (request.method === 'HEAD') return describeContent(row, version, reply).header('content-length', String(sizeBytes)).send();
    const content = await this.contents.open(row, range === 'whole' ? undefined : range);
    // The content was replaced since the row was read; read the row again.
    if (!content) return this.answer(request, reply);
    describeContent(row, version, reply);
    if (range === 'whole') return reply.header('content-length', String(sizeBytes)).send(content);
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
    return reply.header('content-length', String(range.end - range.start + 1)).send(content);
  }
}

export function conditionsOf({ headers }: FastifyRequest): Conditions {
  return {
    ifMatch: headers['if-match'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
  };
}

const rangeOf = ({ headers }: FastifyRequest): RangeHeaders => ({
  range: headers.range,
  ifRange: headers['if-range'] as string | undefined,
});

/**
 * Returns true if the client may be redirected to the store. It repeats its preconditions there, and the store has other ETags and
 * times, so a condition that holds here could fail. If-None-Match is safe: the store matches only its own tags.
 */
function canGoToStore({ ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince }: Conditions): boolean {
  return ifMatch === undefined && ifUnmodifiedSince === undefined && (ifModifiedSince === undefined || ifNoneMatch !== undefined);
}

/** Sets the headers of the version. Also sent with 304, since caches update their headers from it. */
function describeVersion(row: StoredFile, { etag, storedAt }: Version, reply: FastifyReply): FastifyReply {
  const { policy } = safePresentation(row);
  if (policy === null) void reply.removeHeader('content-security-policy');
  else void reply.header('content-security-policy', policy);
  return reply.headers({ etag, 'last-modified': storedAt.toUTCString(), 'cache-control': cacheControl(row) });
}

function describeContent(row: StoredFile, version: Version, reply: FastifyReply): FastifyReply {
  const { contentType, disposition } = safePresentation(row);
  // Set before Content-Length, since Node would otherwise re-encode Content-Disposition.
  if (disposition !== null) void reply.header('content-disposition', disposition);
  void reply.headers({ 'content-type': contentType, 'accept-ranges': 'bytes' });
  return describeVersion(row, version, reply);
}
