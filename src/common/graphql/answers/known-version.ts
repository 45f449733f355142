import type { FastifyRequest } from 'fastify';

/** Returns whether the caller already has this version. Compressing proxies mark ETags as weak. */
export function hasVersion({ headers }: FastifyRequest, etag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map(strong);
  return tags.includes(strong(etag)) || tags.includes('*');
}

const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
