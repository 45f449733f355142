import 'fastify';
import type { OperationKind, Service } from './scopes.js';

/** Requires a key of this service; with an operation, also the scope entry of that operation. */
export interface KeyAccess {
  service: Service;
  kind?: OperationKind;
  operation?: string;
}

/**
 * Who may call a route: everybody, callers with a signature or token that the route checks itself, with any key (`key`), or
 * with a key of a service. A route that declares no access refuses all requests.
 */
export type Access = 'public' | 'signed' | 'key' | KeyAccess;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}
