import type { SERVICES } from '../../auth/scopes.js';

/** A service that tenants use. */
export type TenantService = (typeof SERVICES)[number];

/** The type of the event that testWebhook sends. */
export const PING = 'PING';

/** An event of a service, such as FILE_DONE. */
interface EventKind {
  description: string;
  /** Queries that show the object of the event; a key needs the scope entry of one of them to have the event sent. */
  readBy: readonly string[];
}

/** The events of a service, by their names. */
export type EventKinds = Readonly<Record<string, EventKind>>;

/** Something that happened to an object of a tenant. */
export interface NewEvent {
  tenantId: string;
  service: TenantService;
  /** Its name, such as FILE_DONE. */
  type: string;
  /** Id of the object. */
  subject: string;
  /** The object as the API shows it, without signed addresses. */
  data: object;
}
