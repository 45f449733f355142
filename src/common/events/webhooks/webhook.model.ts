import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Type } from '@nestjs/common';
import { asCount, asDays } from '../../base/amounts.js';
import { DateTime } from '../../graphql/types/date-time.scalar.js';
import { SendingFields } from '../../graphql/types/sending.js';
import { pageOf } from '../../lists/page-of.js';
import { MaxItems } from '../../scheduling/list-size.js';
import type { Page } from '../../lists/page.js';
import type { EventKinds } from '../outbox/event.js';
import { DISABLE_AFTER_MS, MAX_ANSWER_KEPT, MAX_WEBHOOKS } from '../delivery/limits.js';

const nullable = true;
/** Deliveries of one page. */
export const MAX_DELIVERIES = 100;

export enum WebhookDeliveryStatus {
  PENDING = 'PENDING',
  DELIVERED = 'DELIVERED',
  FAILED = 'FAILED',
}

/** The fields of a Webhook in each service but its events. */
@ObjectType({ isAbstract: true })
class WebhookFields extends SendingFields {
  @Field(() => ID, { nullable, description: 'Id of the webhook.' })
  id: string;

  @Field(() => String, {
    nullable,
    description: 'Address that events are sent to; poll: for a webhook whose events are fetched.',
  })
  url: string;

  @Field(() => Boolean, { nullable, description: 'Whether events are recorded and sent.' })
  active: boolean;

  @Field(() => String, { nullable, description: 'Description by the application.' })
  description: string | null;

  @Field(() => DateTime, {
    nullable,
    description: `Time at which the platform switched it off: after the answer Gone, or ${asDays(DISABLE_AFTER_MS)} days without a success.`,
  })
  disabledAt: Date | null;

  @Field(() => DateTime, { nullable, description: 'After a rotation, the time until which the secret before signs too.' })
  previousSecretUntil: Date | null;
}

/** A webhook as callers see it. */
export interface Webhook extends WebhookFields {
  events: string[];
}

/** A webhook and its secret, which is shown once. */
export interface WebhookSecret {
  webhook: Webhook;
  secret: string;
}

/** The fields of a WebhookDelivery in each service but its event. */
@ObjectType({ isAbstract: true })
class DeliveryFields {
  @Field(() => ID, { nullable, description: 'Id of the event, the same for all webhooks: the header webhook-id.' })
  id: string;

  @Field(() => String, { nullable, description: 'The type on the wire, such as file.done; ping for a test.' })
  type: string;

  @Field(() => String, { nullable, description: 'Id of the object of the event.' })
  subject: string;

  @Field(() => DateTime, { nullable, description: 'Time of the event.' })
  createdAt: Date;

  @Field(() => WebhookDeliveryStatus, { nullable, description: 'State of the delivery.' })
  status: WebhookDeliveryStatus;

  @Field(() => Int, { nullable, description: 'Number of attempts made.' })
  attempts: number;

  @Field(() => Int, { nullable, description: 'HTTP status of the last answer; null without an answer.' })
  responseStatus: number | null;

  @Field(() => String, { nullable, description: `First ${asCount(MAX_ANSWER_KEPT)} bytes of the last answer.` })
  answer: string | null;

  @Field(() => Int, { nullable, description: 'Milliseconds that the last attempt took.' })
  durationMs: number | null;

  @Field(() => String, { nullable, description: 'Reason for which the last attempt failed.' })
  lastError: string | null;

  @Field(() => DateTime, { nullable, description: 'Time of the last attempt.' })
  attemptedAt: Date | null;

  @Field(() => DateTime, { nullable, description: 'Time of the next attempt at the earliest; null if there is none.' })
  nextAttemptAt: Date | null;
}

/** A delivery as callers see it. */
export interface WebhookDelivery extends DeliveryFields {
  event: string | null;
  loadBody(): Promise<string | null>;
}

/** The types of webhooks in one schema. */
export interface WebhookTypes {
  WebhookEvent: Record<string, string>;
  Webhook: Type<Webhook>;
  WebhookSecret: Type<WebhookSecret>;
  WebhookDelivery: Type<Omit<WebhookDelivery, 'loadBody'>>;
  WebhooksResult: Type<Page<Webhook>>;
  WebhookDeliveriesResult: Type<Page<Omit<WebhookDelivery, 'loadBody'>>>;
}

/** Makes the types of webhooks in the schema that `registerIn` marks. */
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
    description: 'Events that webhooks are told of.',
    valuesMap,
  });
  registerEnumType(WebhookDeliveryStatus, {
    name: 'WebhookDeliveryStatus',
    registerIn,
    description: 'State of the delivery of an event to a webhook.',
    valuesMap: {
      PENDING: { description: 'Not delivered yet; tried again.' },
      DELIVERED: { description: 'The receiver took it with a status of success, or the caller confirmed it.' },
      FAILED: { description: 'Given up after ten attempts.' },
    },
  });
  return WebhookEvent;
}

function typesOfWebhooks(
  registerIn: Type,
  WebhookEvent: object,
): Pick<WebhookTypes, 'Webhook' | 'WebhookSecret' | 'WebhooksResult'> {
  @ObjectType('Webhook', { registerIn, description: 'An address that events are sent to.' })
  class Webhook extends WebhookFields {
    @MaxItems(MAX_WEBHOOKS)
    @Field(() => [WebhookEvent], { nullable: 'itemsAndList', description: 'Events that are sent.' })
    events: string[];
  }

  @ObjectType('WebhookSecret', { registerIn, description: 'A webhook and its secret, which is shown this once.' })
  class WebhookSecret {
    @Field(() => Webhook, { nullable, description: 'The webhook.' })
    webhook: Webhook;

    @Field(() => String, { nullable, description: 'The secret that signs, as Standard Webhooks writes it: whsec_ and base64.' })
    secret: string;
  }

  @ObjectType('WebhooksResult', { registerIn, description: 'A page of webhooks.' })
  class WebhooksResult extends pageOf(Webhook, {
    items: 'Newest first.',
    nextToken: 'For the next page; null at the end.',
    max: MAX_WEBHOOKS,
  }) {}
  return { Webhook, WebhookSecret, WebhooksResult };
}

function typesOfDeliveries(
  registerIn: Type,
  WebhookEvent: object,
): Pick<WebhookTypes, 'WebhookDelivery' | 'WebhookDeliveriesResult'> {
  @ObjectType('WebhookDelivery', { registerIn, description: 'An event for a webhook, and its attempts.' })
  class WebhookDelivery extends DeliveryFields {
    @Field(() => WebhookEvent, { nullable, description: 'The event; null for a ping.' })
    event: string | null;
  }

  @ObjectType('WebhookDeliveriesResult', { registerIn, description: 'A page of deliveries.' })
  class WebhookDeliveriesResult extends pageOf(WebhookDelivery, {
    items: 'Newest event first.',
    nextToken: 'For the next page; null at the end.',
    max: MAX_DELIVERIES,
  }) {}
  return { WebhookDelivery, WebhookDeliveriesResult };
}
