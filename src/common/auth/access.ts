import 'fastify';
import type { OperationKind, Service } from './scopes.js';

/** Requires a key of this service and, if an operation is given, its scope entry. */
export interface KeyAccess {
  service: Service;
  kind?: OperationKind;
  operation?: string;
}

/**
 * Callers that a route admits: everybody, those with a signature or token checked by the route itself, any key (`key`), or keys of
 * one service. A route that declares no access refuses all requests.
 */
export type Access = 'public' | 'signed' | 'key' | KeyAccess;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Set for a route besides those of GraphQL that Studio requests with the session of a person. */
    acceptsSessions?: boolean;
    /**
     * Set for a route that runs operations through `Operations`: its body is JSON, for which memory is reserved, and its key is charged
     * the points of the operations instead of one point.
     */
    runsOperations?: boolean;
    /** Set for a route that also accepts the content of a file: a body of another type than JSON. Its handler checks and streams it. */
    acceptsContent?: boolean;
  }
}
