import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file for browsers, kept only as it is sent to those that take gzip. */
export interface PageFile {
  type: string;
  gzipped: Buffer;
}

/** Answers with a file under a policy of its own. */
export function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, gzipped }: PageFile,
  { policy, cacheControl }: { policy: string; cacheControl: string },
): FastifyReply {
  void reply.type(type).headers({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    vary: 'accept-encoding',
  });
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (zipped) return reply.header('content-encoding', 'gzip').send(gzipped);
  return reply.send(Readable.from([gzipped]).pipe(createGunzip()));
}
