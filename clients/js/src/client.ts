import { OPERATIONS as ADMIN, type Operations as AdminOperations, SERVICE as ADMIN_SERVICE } from './generated/admin.js';
import { OPERATIONS as EMAIL, type Operations as EmailOperations, SERVICE as EMAIL_SERVICE } from './generated/email.js';
import { OPERATIONS as PUSH, type Operations as PushOperations, SERVICE as PUSH_SERVICE } from './generated/push.js';
import {
  OPERATIONS as RENDERING,
  type Operations as RenderingOperations,
  SERVICE as RENDERING_SERVICE,
} from './generated/rendering.js';
import type { ServiceName } from './generated/services.js';
import { type Log, logOf } from './log.js';
import type { Files } from './node/files.js';
import { type Service, serviceOf } from './operations.js';
import type { Webhooks } from './receivers.js';
import type { Tokens } from './tokens.js';
import type { CallOptions, Transport } from './transport.js';

/** A document typed by a code generator, such as graphql-codegen with `documentMode: 'string'`. */
export interface TypedDocument<R, V> {
  toString(): string;
  __apiType?: (variables: V) => R;
}

/** All services, with the rights of one key or access token. A page must not have a key. */
export interface Client {
  readonly files: Files;
  readonly rendering: Service<RenderingOperations>;
  readonly push: Service<PushOperations>;
  readonly log: Log;
  readonly email: Service<EmailOperations>;
  /** Tenants and keys, for keys of the tenant platform-admin. */
  readonly admin: Service<AdminOperations>;
  /** One receiver for all services. */
  readonly webhooks: Webhooks;
  /** Access tokens for pages and devices. */
  readonly tokens: Tokens;
  /** Sends a document of your own. It is retried only if `isRepeatable` is set: for queries, and mutations with idempotency keys. */
  request<R = { readonly [field: string]: unknown }, V extends object = { readonly [name: string]: unknown }>(
    service: ServiceName,
    document: string | TypedDocument<R, V>,
    variables?: V,
    options?: CallOptions & { isRepeatable?: boolean },
  ): Promise<R>;
}

/** Client at the edge and in pages, whose bundle is small: a server keeps webhooks in step and creates tokens. */
export type EdgeClient = Omit<Client, 'webhooks' | 'tokens'>;

/** Creates a client with file transfers for Node or the edge. */
export function clientOf(transport: Transport, filesOf: (transport: Transport) => Files): EdgeClient {
  return {
    files: filesOf(transport),
    rendering: serviceOf<RenderingOperations>(transport, RENDERING_SERVICE, RENDERING),
    push: serviceOf<PushOperations>(transport, PUSH_SERVICE, PUSH),
    log: logOf(transport),
    email: serviceOf<EmailOperations>(transport, EMAIL_SERVICE, EMAIL),
    admin: serviceOf<AdminOperations>(transport, ADMIN_SERVICE, ADMIN),
    request: (service, document, variables, { isRepeatable = false, ...call } = {}) =>
      transport.send(service, { query: String(document), variables: variables ?? {}, isRepeatable }, call) as Promise<never>,
  };
}
