import 'fastify';
import type { OperationKind, Service } from './scopes.js';

/** Requires a key of this service; with an operation, also the scope entry of that operation. */
export interface KeyAccess {
  service: Service;
  kind?: OperationKind;
  operation?: string;
}

/**
 * How a route admits callers: everybody, by a signature or token that it checks itself, by any key (`key`), or by one of a service.
 * A route that declares none is refused.
 */
export type Access = 'public' | 'signed' | 'key' | KeyAccess;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}
