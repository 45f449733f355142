import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file for browsers, also as it is sent to those that take gzip. */
export interface PageFile {
  type: string;
  content: Buffer | string;
  gzipped: Buffer;
}

/** Answers with a file under a policy of its own. */
export function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, gzipped }: PageFile,
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
  return zipped ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(content);
}
