import type { Type } from '@nestjs/common';
import { Field, InputType } from '@nestjs/graphql';
import { z } from 'zod';
import { DateTime } from '../../graphql/types/date-time.scalar.js';
import { asCount } from '../../validation/amounts.js';
import { text } from '../../validation/text.js';
import { MAX_DESCRIPTION, MAX_URL, MAX_WEBHOOKS } from '../delivery/limits.js';
import { WebhookDeliveryStatus, type WebhookTypes } from './webhook.model.js';

const nullable = true;
const URL_TEXT =
  `https address of up to ${asCount(MAX_URL)} characters, without credentials or a fragment. Private, loopback and link-local ` +
  'addresses are refused unless the operator allows them. Or poll: to fetch events by webhookDeliveries.';
const EVENTS_TEXT = 'Events to send, each once. The key needs the scope entry of a query that shows their objects.';

export interface WebhookGiven {
  url?: string | null;
  events?: string[] | null;
  active?: boolean | null;
  description?: string | null;
}

export interface DeliveriesFilter {
  status?: WebhookDeliveryStatus | null;
  event?: string | null;
  from?: Date | null;
  to?: Date | null;
}

const description = text({ max: MAX_DESCRIPTION }).nullish();
const events = z
  .array(z.string())
  .min(1, 'must have at least one event')
  .max(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} events`)
  .refine((list) => new Set(list).size === list.length, 'must have each event once');
const active = z.boolean().nullish();

export const createWebhookRules = z.strictObject({ url: text({ min: 1, max: MAX_URL }), events, active, description });
export const updateWebhookRules = z.strictObject({
  url: text({ min: 1, max: MAX_URL }).nullish(),
  events: events.nullish(),
  active,
  description,
});

/** The inputs of webhooks in one schema. */
export interface WebhookInputs {
  CreateWebhookInput: Type<WebhookGiven>;
  UpdateWebhookInput: Type<WebhookGiven>;
  WebhookDeliveriesFilter: Type<DeliveriesFilter>;
}

/** Makes the inputs of webhooks in the schema that `registerIn` marks. */
export function webhookInputs(registerIn: Type, { WebhookEvent }: WebhookTypes): WebhookInputs {
  return {
    CreateWebhookInput: createInput(registerIn, WebhookEvent),
    UpdateWebhookInput: updateInput(registerIn, WebhookEvent),
    WebhookDeliveriesFilter: deliveriesFilter(registerIn, WebhookEvent),
  };
}

function createInput(registerIn: Type, WebhookEvent: object): Type<WebhookGiven> {
  @InputType('CreateWebhookInput', { registerIn, description: 'A webhook to create.' })
  class CreateWebhookInput {
    @Field(() => String, { description: URL_TEXT })
    url: string;

    @Field(() => [WebhookEvent], { description: EVENTS_TEXT })
    events: string[];

    @Field(() => Boolean, { nullable, defaultValue: true, description: 'Whether events are recorded and sent from now on.' })
    active?: boolean | null;

    @Field(() => String, { nullable, description: `Up to ${asCount(MAX_DESCRIPTION)} characters.` })
    description?: string | null;
  }
  return CreateWebhookInput;
}

function updateInput(registerIn: Type, WebhookEvent: object): Type<WebhookGiven> {
  @InputType('UpdateWebhookInput', { registerIn, description: 'Changes of a webhook. A field that is left out stays as it is.' })
  class UpdateWebhookInput {
    @Field(() => String, { nullable, description: `${URL_TEXT} A poll: webhook stays one.` })
    url?: string | null;

    @Field(() => [WebhookEvent], { nullable, description: EVENTS_TEXT })
    events?: string[] | null;

    @Field(() => Boolean, {
      nullable,
      description: 'false records and sends nothing; true sends what waits, also after the platform switched it off.',
    })
    active?: boolean | null;

    @Field(() => String, { nullable, description: `Up to ${asCount(MAX_DESCRIPTION)} characters; null clears it.` })
    description?: string | null;
  }
  return UpdateWebhookInput;
}

function deliveriesFilter(registerIn: Type, WebhookEvent: object): Type<DeliveriesFilter> {
  @InputType('WebhookDeliveriesFilter', { registerIn, description: 'Conditions that all hold.' })
  class WebhookDeliveriesFilter {
    @Field(() => WebhookDeliveryStatus, { nullable, description: 'State of the delivery.' })
    status?: WebhookDeliveryStatus | null;

    @Field(() => WebhookEvent, { nullable, description: 'The event.' })
    event?: string | null;

    @Field(() => DateTime, { nullable, description: 'Earliest time of the event, inclusive.' })
    from?: Date | null;

    @Field(() => DateTime, { nullable, description: 'Latest time of the event, inclusive.' })
    to?: Date | null;
  }
  return WebhookDeliveriesFilter;
}
