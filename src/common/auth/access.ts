import 'fastify';
import type { OperationKind, Service } from './scopes.js';

/** A key of this service is needed; with an operation, also the scope entry of that operation. */
export interface KeyAccess {
  service: Service;
  kind?: OperationKind;
  operation?: string;
}

/**
 * How a route lets callers in: for everybody, by a signature or token that it checks itself, or by a key.
 * A route that does not say is refused.
 */
export type Access = 'public' | 'signed' | KeyAccess;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}
