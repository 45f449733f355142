import 'fastify';
import type { OperationKind, Service } from './scopes.js';

/** Requires a key of this service; with an operation, also the scope entry of that operation. */
export interface KeyAccess {
  service: Service;
  kind?: OperationKind;
  operation?: string;
}

/**
 * The callers that a route admits: everybody, those with a signature or token that the route checks itself, those with any key
 * (`key`), or those with a key of a service. A route that declares no access refuses all requests.
 */
export type Access = 'public' | 'signed' | 'key' | KeyAccess;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}
