import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Type } from '@nestjs/common';
import { asCount, asDays } from '../../base/amounts.js';
import { DateTime } from '../../graphql/types/date-time.scalar.js';
import { SendingFields } from '../../graphql/types/sending.js';
import { pageOf } from '../../lists/page-of.js';
import { MaxItems } from '../../scheduling/list-size.js';
import type { Page } from '../../lists/page.js';
import { type EventAttempt, MAX_ATTEMPTS_LISTED } from '../delivery/attempt-log.js';
import type { EventKinds } from '../outbox/event.js';
import type { EventCounts } from './waiting-events.queries.js';
import { DISABLE_AFTER_MS, MAX_ANSWER_KEPT, MAX_WEBHOOKS } from '../delivery/limits.js';

const nullable = true;
/** Maximum number of deliveries in one page. */
export const MAX_DELIVERIES = 100;

export enum WebhookDeliveryStatus {
  PENDING = 'PENDING',
  DELIVERED = 'DELIVERED',
  FAILED = 'FAILED',
}

/** Fields of a Webhook in each service, except its events. */
@ObjectType({ isAbstract: true })
class WebhookFields extends SendingFields {
  @Field(() => ID, { nullable, description: 'Id of the webhook.' })
  id: string;

  @Field(() => String, {
    nullable,
    description: 'URL to which events are sent; `poll:` for a webhook whose events are fetched.',
  })
  url: string;

  @Field(() => Boolean, { nullable, description: 'Whether events are recorded and sent.' })
  active: boolean;

  @Field(() => String, { nullable, description: 'Description by the application.' })
  description: string | null;

  @Field(() => DateTime, {
    nullable,
    description: `Time at which the platform switched the webhook off: after a response Gone, or ${asDays(DISABLE_AFTER_MS)} days without a success.`,
  })
  disabledAt: Date | null;

  @Field(() => DateTime, { nullable, description: 'Time until which the previous secret signs too, after a rotation.' })
  previousSecretUntil: Date | null;
}

/** Webhook as callers see it. */
export interface Webhook extends WebhookFields {
  events: string[];
  loadCounts(): Promise<EventCounts>;
}

/** Webhook and its secret, which is shown once. */
export interface WebhookSecret {
  webhook: Webhook;
  secret: string;
}

/** Fields of a WebhookDelivery in each service, except its event. */
@ObjectType({ isAbstract: true })
class DeliveryFields {
  @Field(() => ID, { nullable, description: 'Id of the event, the same for all webhooks. Sent in the header webhook-id.' })
  id: string;

  @Field(() => String, { nullable, description: 'Type in the sent body, such as file.done; ping for a test.' })
  type: string;

  @Field(() => String, { nullable, description: 'Id of the object of the event.' })
  subject: string;

  @Field(() => DateTime, { nullable, description: 'Time of the event.' })
  createdAt: Date;

  @Field(() => WebhookDeliveryStatus, { nullable, description: 'State of the delivery.' })
  status: WebhookDeliveryStatus;

  @Field(() => Int, { nullable, description: 'Number of attempts made.' })
  attempts: number;

  @Field(() => Int, { nullable, description: 'HTTP status of the last response; null without a response.' })
  responseStatus: number | null;

  @Field(() => String, { nullable, description: `First ${asCount(MAX_ANSWER_KEPT)} bytes of the last response.` })
  answer: string | null;

  @Field(() => Int, { nullable, description: 'Duration of the last attempt in milliseconds.' })
  durationMs: number | null;

  @Field(() => String, { nullable, description: 'Error of the last attempt, if it failed.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable, description: 'Time of the last attempt.' })
  attemptedAt: Date | null;

  @Field(() => DateTime, { nullable, description: 'Earliest time of the next attempt; null if there is none.' })
  nextAttemptAt: Date | null;
}

/** Delivery as callers see it. */
export interface WebhookDelivery extends DeliveryFields {
  event: string | null;
  history: EventAttempt[];
  loadBody(): Promise<string | null>;
}

/** Webhook types of one schema. */
export interface WebhookTypes {
  WebhookEvent: Record<string, string>;
  Webhook: Type<Omit<Webhook, 'loadCounts'>>;
  WebhookSecret: Type<{ webhook: Omit<Webhook, 'loadCounts'>; secret: string }>;
  WebhookDelivery: Type<Omit<WebhookDelivery, 'loadBody'>>;
  WebhooksResult: Type<Page<Omit<Webhook, 'loadCounts'>>>;
  WebhookDeliveriesResult: Type<Page<Omit<WebhookDelivery, 'loadBody'>>>;
}

/** Creates the webhook types of a service. `registerIn` selects their schema. */
export function webhookTypes(registerIn: Type, kinds: EventKinds): WebhookTypes {
  const WebhookEvent = registerEnums(registerIn, kinds);
  return { WebhookEvent, ...typesOfWebhooks(registerIn, WebhookEvent), ...typesOfDeliveries(registerIn, WebhookEvent) };
}

function registerEnums(registerIn: Type, kinds: EventKinds): Record<string, string> {
  const WebhookEvent = Object.fromEntries(Object.keys(kinds).map((name) => [name, name]));
  const valuesMap = Object.fromEntries(Object.entries(kinds).map(([name, { description }]) => [name, { description }]));
  registerEnumType(WebhookEvent, {
    name: 'WebhookEvent',
    registerIn,
    description: 'Events that webhooks can subscribe to.',
    valuesMap,
  });
  registerEnumType(WebhookDeliveryStatus, {
    name: 'WebhookDeliveryStatus',
    registerIn,
    description: 'State of the delivery of an event to a webhook.',
    valuesMap: {
      PENDING: { description: 'Not delivered yet; retried.' },
      DELIVERED: { description: 'The receiver responded with a success status, or the caller confirmed the event.' },
      FAILED: { description: 'Failed after ten attempts.' },
    },
  });
  return WebhookEvent;
}

function typesOfWebhooks(
  registerIn: Type,
  WebhookEvent: object,
): Pick<WebhookTypes, 'Webhook' | 'WebhookSecret' | 'WebhooksResult'> {
  @ObjectType('Webhook', { registerIn, description: 'A URL that events are sent to.' })
  class Webhook extends WebhookFields {
    @MaxItems(MAX_WEBHOOKS)
    @Field(() => [WebhookEvent], { nullable: 'itemsAndList', description: 'Subscribed events.' })
    events: string[];
  }

  @ObjectType('WebhookSecret', { registerIn, description: 'A webhook and its secret, which is shown only once.' })
  class WebhookSecret {
    @Field(() => Webhook, { nullable, description: 'Webhook.' })
    webhook: Webhook;

    @Field(() => String, { nullable, description: 'Signing secret in the format of Standard Webhooks: whsec_ and base64.' })
    secret: string;
  }

  @ObjectType('WebhooksResult', { registerIn, description: 'A page of webhooks.' })
  class WebhooksResult extends pageOf(Webhook, {
    items: 'Newest first.',
    nextToken: 'Token of the next page; null at the end.',
    max: MAX_WEBHOOKS,
  }) {}
  return { Webhook, WebhookSecret, WebhooksResult };
}

function attemptType(registerIn: Type): Type<EventAttempt> {
  @ObjectType('WebhookAttempt', { registerIn, description: 'An attempt to deliver an event.' })
  class WebhookAttempt {
    @Field(() => DateTime, { nullable, description: 'Time of the attempt.' })
    at: Date;

    @Field(() => Int, { nullable, description: 'HTTP status of the response; null without a response.' })
    responseStatus: number | null;

    @Field(() => Int, { nullable, description: 'Duration in milliseconds.' })
    durationMs: number;

    @Field(() => String, { nullable, description: 'Error, if it failed.' })
    error: string | null;
  }
  return WebhookAttempt;
}

function typesOfDeliveries(
  registerIn: Type,
  WebhookEvent: object,
): Pick<WebhookTypes, 'WebhookDelivery' | 'WebhookDeliveriesResult'> {
  const WebhookAttempt = attemptType(registerIn);

  @ObjectType('WebhookDelivery', { registerIn, description: 'An event for a webhook, and its attempts.' })
  class WebhookDelivery extends DeliveryFields {
    @Field(() => WebhookEvent, { nullable, description: 'Event; null for a ping.' })
    event: string | null;

    @MaxItems(MAX_ATTEMPTS_LISTED, { counted: 2 })
    @Field(() => [WebhookAttempt], {
      nullable: 'itemsAndList',
      description: `Attempts, oldest first, also those before a redelivery; the latest ${MAX_ATTEMPTS_LISTED}.`,
    })
    history: EventAttempt[];
  }

  @ObjectType('WebhookDeliveriesResult', { registerIn, description: 'A page of deliveries.' })
  class WebhookDeliveriesResult extends pageOf(WebhookDelivery, {
    items: 'Newest event first.',
    nextToken: 'Token of the next page; null at the end.',
    max: MAX_DELIVERIES,
  }) {}
  return { WebhookDelivery, WebhookDeliveriesResult };
}
