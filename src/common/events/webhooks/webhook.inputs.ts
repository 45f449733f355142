import type { Type } from '@nestjs/common';
import { z } from 'zod';
import { type Given, input } from '../../graphql/types/input.js';
import { inOrder } from '../../graphql/types/time-range.input.js';
import { asCount } from '../../base/amounts.js';
import { text } from '../../base/text.js';
import { DEFAULT_OVERLAP_S, MAX_DESCRIPTION, MAX_URL, MAX_WEBHOOKS } from '../delivery/limits.js';
import { isSecret, SECRET_FORM } from '../delivery/signature.js';
import { WebhookDeliveryStatus, type WebhookTypes } from './webhook.model.js';

const URL_TEXT =
  `https URL of up to ${asCount(MAX_URL)} characters, without credentials or a fragment. Private, loopback and link-local ` +
  'addresses are refused unless the operator allows them. Or `poll:` to fetch events with webhookDeliveries.';
const EVENTS_TEXT = 'Events to send, each once. The key needs the scope entry of a query that shows their objects.';
const DESCRIPTION_TEXT = `Up to ${asCount(MAX_DESCRIPTION)} characters`;

const SECRET_TEXT = `Secret that signs the requests: ${SECRET_FORM}.`;

const secret = z.string().refine(isSecret, `must be ${SECRET_FORM}`).nullish();
const url = text({ min: 1, max: MAX_URL });
const description = text({ max: MAX_DESCRIPTION }).nullish();

/** Webhook inputs of one schema. */
export type WebhookInputs = ReturnType<typeof webhookInputs>;
export type CreateWebhookInput = Given<WebhookInputs['CreateWebhookInput']>;
export type UpdateWebhookInput = Given<WebhookInputs['UpdateWebhookInput']>;
export type DeliveriesFilter = Given<WebhookInputs['WebhookDeliveriesFilter']>;

/** Creates the webhook inputs of a service. `registerIn` selects their schema. */
export function webhookInputs(registerIn: Type, { WebhookEvent }: WebhookTypes) {
  const event = z.enum(WebhookEvent);
  const events = z
    .array(event)
    .min(1, 'must have at least one event')
    .max(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} events`)
    .refine((list) => new Set(list).size === list.length, 'must have each event once');
  return {
    CreateWebhookInput: input(
      'CreateWebhookInput',
      { registerIn, description: 'A webhook to create.' },
      {
        url: url.describe(URL_TEXT),
        events: events.describe(EVENTS_TEXT),
        active: z.boolean().nullable().default(true).describe('Whether to record and send events from now on.'),
        description: description.describe(`${DESCRIPTION_TEXT}.`),
        secret: secret.describe(`${SECRET_TEXT} A new one by default. Webhooks with one receiver can share it.`),
      },
    ),
    UpdateWebhookInput: input(
      'UpdateWebhookInput',
      { registerIn, description: 'Changes of a webhook. Omitted fields stay as they are.' },
      {
        url: url.nullish().describe(`${URL_TEXT} A webhook with \`poll:\` cannot change.`),
        events: events.nullish().describe(EVENTS_TEXT),
        active: z
          .boolean()
          .nullish()
          .describe(
            'false records and sends nothing; true sends queued events, also after the platform switched the webhook off.',
          ),
        description: description.describe(`${DESCRIPTION_TEXT}; null clears it.`),
        secret: secret.describe(
          `${SECRET_TEXT} The previous one signs too for ${DEFAULT_OVERLAP_S / 3_600} hours, as after rotateWebhookSecret. The current one changes nothing.`,
        ),
      },
    ),
    WebhookDeliveriesFilter: input(
      'WebhookDeliveriesFilter',
      { registerIn, description: 'All given conditions must hold.' },
      {
        status: z.enum(WebhookDeliveryStatus).nullish().describe('State of the delivery.'),
        event: event.nullish().describe('The event.'),
        from: z.date().nullish().describe('Earliest time of the event, inclusive.'),
        to: z.date().nullish().describe('Latest time of the event, inclusive.'),
      },
      inOrder,
    ),
  };
}
