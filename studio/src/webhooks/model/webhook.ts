import type {
  CreateWebhookInput,
  UpdateWebhookInput,
  Webhook as EmailWebhook,
  WebhookDelivery,
  WebhookDeliveryStatus,
} from '../../../../clients/js/src/generated/email';
import { SERVICES } from '../../../../clients/js/src/generated/services';
import type { CallOptions } from '../../../../clients/js/src/transport';
import type { Api } from '../../api/client';
import type { ServiceName } from '../../api/scope';

/** Key of every query of webhooks and deliveries. */
export const WEBHOOKS = ['webhooks'] as const;

/** A service that has webhooks. */
export type Source = Exclude<ServiceName, 'admin'>;
export type Webhook = Omit<EmailWebhook, '__typename' | 'events'> & { events: readonly string[] | null };
/** A webhook and its service. */
export type Hook = Webhook & { source: Source };
export type Delivery = Omit<WebhookDelivery, '__typename' | 'event' | 'body'> & { event?: string | null; body?: string | null };
export type Attempt = NonNullable<Delivery['history']>[number];
export type DeliveryStatus = WebhookDeliveryStatus;

/** All fields of a delivery: its body is loaded on request. */
export const WHOLE_DELIVERY = {
  id: true,
  type: true,
  subject: true,
  status: true,
  createdAt: true,
  attempts: true,
  attemptedAt: true,
  nextAttemptAt: true,
  responseStatus: true,
  durationMs: true,
  answer: true,
  lastError: true,
  history: { at: true, responseStatus: true, durationMs: true, error: true },
  body: true,
} as const;

type WithEvents<I> = Omit<I, 'events'>;

interface DeliveriesVariables {
  webhookId: string;
  filter: { status?: DeliveryStatus; event?: string; from?: string; to?: string };
  limit: number;
  nextToken: string | null;
}

/** Webhook operations, the same in each service except for the event names. */
export interface Door {
  webhooks(variables: object, selection: undefined, options: CallOptions): Promise<{ items: readonly Webhook[] }>;
  webhookDeliveries(
    variables: DeliveriesVariables,
    selection: { items: typeof WHOLE_DELIVERY } | undefined,
    options: CallOptions,
  ): Promise<{ items: readonly Delivery[]; nextToken: string | null }>;
  createWebhook(variables: { input: WithEvents<CreateWebhookInput> & { events: readonly string[] } }): Promise<{
    webhook: Webhook | null;
    secret: string | null;
  }>;
  updateWebhook(variables: {
    id: string;
    input: WithEvents<UpdateWebhookInput> & { events?: readonly string[] };
  }): Promise<Webhook>;
  deleteWebhook(variables: { id: string }): Promise<Webhook>;
  rotateWebhookSecret(variables: { id: string; overlap: number }): Promise<{ secret: string | null }>;
  testWebhook(variables: { id: string; type?: string }, selection: typeof WHOLE_DELIVERY): Promise<Delivery>;
  redeliver(variables: {
    webhookId: string;
    from?: string;
    to?: string;
    status?: DeliveryStatus;
    ids?: readonly string[];
  }): Promise<number>;
}

const CLIENTS = Object.fromEntries(Object.entries(SERVICES).map(([client, service]) => [service, client])) as Record<
  ServiceName,
  keyof typeof SERVICES
>;

/** Five clients differ only in their event names. */
export const doorOf = (api: Api, source: Source): Door => api[CLIENTS[source]] as unknown as Door;

/** URL of a polled webhook. */
export const POLL = 'poll:';

/** Whether events are recorded and sent. */
export const isOn = ({ active, disabledAt }: Webhook): boolean => active === true && !disabledAt;
