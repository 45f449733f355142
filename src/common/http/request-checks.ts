import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyAccess } from '../auth/access.js';
import { type Caller, lacksEntry } from '../auth/caller.js';
import { missingEntry, touchesService } from '../auth/scopes.js';
import { AppError } from '../base/app-error.js';
import { isBound } from '../tokens/token-bounds.js';
import { checkExpectation } from './bodies/request-body.js';

/** Characters of names, addresses and ports. Any other text could not become part of a URL. */
const HOST = /^[\w.:[\]-]*$/;
/** Headers of answers that a page may read. */
const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy, link, etag, content-disposition';

/** Checks the scope of a key. @throws FORBIDDEN without any entry of the service, or without that of the route's operation */
export function checkEntries(caller: Caller, access: KeyAccess | 'key'): undefined {
  if (access === 'key') return;
  const { service, kind, operation } = access;
  if (!touchesService(caller.scope, service)) throw new AppError('FORBIDDEN', `The key has no scope entry of ${service}-api`);
  const missing = kind && operation && missingEntry(caller.scope, service, kind, operation);
  if (missing) throw new AppError('FORBIDDEN', lacksEntry(caller, missing));
}

/**
 * Checks what the headers tell of a token's bounds, and lets a page of its origins read the answer.
 * @throws FORBIDDEN for another origin, and for a bound token on a route that runs no operations, since only these are checked
 */
export function checkToken({ token }: Caller, request: FastifyRequest, reply: FastifyReply): void {
  if (!token) return;
  const { origin } = request.headers;
  if (token.origins) {
    if (!token.origins.includes(origin ?? '')) throw new AppError('FORBIDDEN', 'The token is bound to other origins');
    void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'origin' });
  }
  if (isBound(token) && !request.routeOptions.config.runsOperations) {
    throw new AppError('FORBIDDEN', 'The token is bound, and can be used for operations only');
  }
}

/** Checks the Host header. @throws BAD_REQUEST if no route can be found or served with it */
export function checkHead({ raw }: FastifyRequest): void {
  const { host } = raw.headers;
  if (host === undefined && raw.httpVersionMinor > 0) throw new AppError('BAD_REQUEST', 'The Host header is required');
  if (!HOST.test(host ?? '')) throw new AppError('BAD_REQUEST', 'The Host header is malformed');
  checkExpectation(raw);
}
