import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/** Headers that a page may send with a token. Not x-api-key: keys belong on servers. */
const HEADERS = [
  'authorization',
  'content-type',
  'content-disposition',
  'content-encoding',
  'content-range',
  'traceparent',
  'mcp-protocol-version',
];
const ALLOWED = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': HEADERS.join(', '),
  'access-control-max-age': '7200',
};

/**
 * Answers preflights. A browser sends them without a token, so they allow every origin on paths that need a key or token, and nothing
 * that a browser sends by itself, such as cookies. The answer to the request itself names an origin only if its token does.
 */
export class Preflights {
  /** First segments of the paths that need a key or token. */
  private readonly segments = new Set<string>();

  declare({ url, config }: Pick<RouteOptions, 'url' | 'config'>): void {
    const access = config?.access;
    if (access && access !== 'public' && access !== 'signed') this.segments.add(segmentOf(url));
  }

  /** Returns undefined if the request is no preflight, its path needs no key, or it asks for another header. */
  answer({ method, headers, url }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const isPreflight = method === 'OPTIONS' && headers.origin && headers['access-control-request-method'];
    if (!isPreflight || !this.segments.has(segmentOf(url))) return undefined;
    if (!namesIn(headers['access-control-request-headers']).every((name) => HEADERS.includes(name))) return undefined;
    return reply.code(204).headers(ALLOWED).send();
  }
}

const namesIn = (list = ''): string[] => list.split(',').map((name) => name.trim().toLowerCase()).filter(Boolean); // prettier-ignore

const segmentOf = (url: string): string => url.split(/[/?]/, 2)[1] ?? '';
