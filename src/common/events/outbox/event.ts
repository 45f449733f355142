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
  /** Subject and data that testWebhook sends, with the members of a real event. */
  sample: Pick<NewEvent, 'subject' | 'data'>;
}

/** Id, time and author in samples. */
export const SAMPLE_ID = '019bc0de-1234-7000-8000-000000000001';
export const SAMPLE_TIME = '2026-01-15T12:00:00.000Z';
export const SAMPLE_AUTHOR = { id: 'u-17', name: 'Ada Lovelace' };

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
