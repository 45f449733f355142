import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

/** Whether a request to an endpoint brings an operation: a GET does, unless a browser asks for a page. */
export function bringsOperation({ method, headers }: FastifyRequest): boolean {
  return method === 'POST' || (method === 'GET' && !asksForPage(headers.accept));
}

export function asksForPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}

/** The document as the engine will read it, and nothing where there is none. */
export function documentOf(request: FastifyRequest): unknown {
  if (request.method === 'GET') return new URLSearchParams(searchOf(request)).get('query');
  return (request.body as { query?: unknown } | null | undefined)?.query;
}

/** The engine would replace what cannot be decoded, and execute something else than was sent. @throws BAD_REQUEST */
export function checkSearch(request: FastifyRequest): void {
  const search = searchOf(request);
  if (/^[\x21-\x7e]*$/.test(search) && isDecodable(search)) return;
  throw new AppError('BAD_REQUEST', 'The query of the address must be ASCII, with % before two hexadecimal digits of UTF-8');
}

function searchOf({ raw: { url = '' } }: FastifyRequest): string {
  const from = url.indexOf('?');
  return from < 0 ? '' : url.slice(from + 1);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
