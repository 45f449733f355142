import type { SERVICES } from '../../auth/scopes.js';

/** Service that tenants use. */
export type TenantService = (typeof SERVICES)[number];

/** Event type of testWebhook. */
export const PING = 'PING';

/** Event type of a service, such as FILE_DONE. */
interface EventKind {
  description: string;
  /** Queries that return the event's object. Subscribing requires the scope entry of at least one of them. */
  readBy: readonly string[];
}

/** Event types of a service, by name. */
export type EventKinds = Readonly<Record<string, EventKind>>;

/** Event about an object of a tenant. */
export interface NewEvent {
  tenantId: string;
  service: TenantService;
  /** Name of its type, such as FILE_DONE. */
  type: string;
  /** Id of the object. */
  subject: string;
  /** Object in the form of the API, without signed URLs. */
  data: object;
}
