import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.js';

/** Returns whether a request to an endpoint has an operation: every GET has, unless a browser asks for a page. */
export function bringsOperation({ method, headers }: FastifyRequest): boolean {
  return method === 'POST' || (method === 'GET' && !asksForPage(headers.accept));
}

export function asksForPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}

/** Returns the document as the engine will read it, if any. */
export function documentOf(request: FastifyRequest): unknown {
  if (request.method === 'GET') return new URLSearchParams(searchOf(request)).get('query');
  return (request.body as { query?: unknown } | null | undefined)?.query;
}

/** Refuses a query string that cannot be decoded: the engine would alter it and execute another document. @throws BAD_REQUEST */
export function checkSearch(request: FastifyRequest): void {
  const search = searchOf(request);
  if (/^[\x21-\x7e]*$/.test(search) && isDecodable(search)) return;
  throw new AppError('BAD_REQUEST', 'The query string must be ASCII, with each % before two hexadecimal digits of UTF-8');
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
