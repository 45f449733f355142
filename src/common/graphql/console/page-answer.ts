import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

const decompress = promisify(gunzip);
const MAX_PLAIN_BYTES = 16 * 1024 * 1024;
const PLAIN_MS = 3_000;

/** File for browsers, stored gzipped. */
export interface PageFile {
  type: string;
  gzipped: Buffer;
  /** The same, compressed by Brotli when it was built. */
  brotli?: Buffer | undefined;
  /** Weak ETag, since the gzipped and the plain file share it. */
  etag: string;
}

export const pageFile = (type: string, gzipped: Buffer, brotli?: Buffer): PageFile => ({
  type,
  gzipped,
  brotli,
  etag: `W/"${hash('sha256', gzipped, 'base64url')}"`,
});

/**
 * Decompressed files for clients without gzip, cached for 3 s after their last use. All answers send the same bytes, so repeated or
 * aborted requests take neither processor time nor memory.
 */
const plainFiles = new LRUCache<PageFile, Promise<Buffer>>({
  maxSize: MAX_PLAIN_BYTES,
  sizeCalculation: (_, file) => Math.max(1, plainBytes(file)),
  ttl: PLAIN_MS,
  ttlAutopurge: true,
  updateAgeOnGet: true,
});

/** Answers with a file and its own policy, or with 304 to a client that has it. */
export async function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
  { policy, cacheControl }: { policy: string; cacheControl: string },
): Promise<FastifyReply> {
  void reply.headers({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (hasVersion(request, file.etag)) return reply.code(304).send();
  void reply.type(file.type);
  if (file.brotli && takes(request, 'br')) return reply.header('content-encoding', 'br').send(file.brotli);
  if (takes(request, 'gzip')) return reply.header('content-encoding', 'gzip').send(file.gzipped);
  return reply.send(await plainOf(file));
}

function plainOf(file: PageFile): Promise<Buffer> {
  const kept = plainFiles.get(file);
  if (kept) return kept;
  const made = decompress(file.gzipped, { maxOutputLength: plainBytes(file) });
  plainFiles.set(file, made);
  made.catch(() => plainFiles.delete(file));
  return made;
}

/** Reads the length of the content from the end of the gzip file. */
const plainBytes = ({ gzipped }: PageFile): number => gzipped.readUInt32LE(gzipped.length - 4);

const takes = ({ headers }: FastifyRequest, wanted: 'br' | 'gzip'): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => coding.split(';')[0]!.trim().toLowerCase() === wanted && !/;\s*q=0(\.0*)?\s*$/i.test(coding));

/** Returns whether the caller already has this version. Compressing proxies mark ETags as weak. */
export function hasVersion({ headers }: FastifyRequest, etag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map(strong);
  return tags.includes(strong(etag)) || tags.includes('*');
}

const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
