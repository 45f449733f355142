import { asCount, asDays } from '../../validation/amounts.js';
import { KNOWN_WITHIN_MS } from '../outbox/webhook-directory.js';
import { MAX_CONFIRMED, MAX_OVERLAP_S, MAX_REDELIVERED, MAX_WEBHOOKS } from '../delivery/limits.js';

const UNKNOWN = 'NOT_FOUND for an unknown id.';
const READING = 'FORBIDDEN unless the key has the scope entry of a query that shows the objects of the events, such as query:*.';

/** Schema descriptions of the operations on webhooks. */
export const WEBHOOKS = {
  createWebhook:
    `Creates a webhook. Events are recorded from now on, by other nodes from ${KNOWN_WITHIN_MS / 1_000} s on. ` +
    `BAD_USER_INPUT for an address that must not be called. PAYLOAD_TOO_LARGE over ${MAX_WEBHOOKS} webhooks of the service. ${READING}`,
  updateWebhook: `Changes a webhook. Events that wait go to the new address. BAD_USER_INPUT for an address that must not be called. ${READING} ${UNKNOWN}`,
  deleteWebhook: `Deletes a webhook with all that waits for it, and returns it as it was. ${UNKNOWN}`,
  rotateWebhookSecret: `Makes a new secret. ${UNKNOWN}`,
  overlap: `Seconds for which the secret before signs too, 0 to ${asCount(MAX_OVERLAP_S)} (${asDays(MAX_OVERLAP_S * 1_000)} days).`,
  testWebhook:
    'Sends an event of the type ping now, once, whether the webhook is active or not, and returns its delivery: FAILED with the ' +
    `reason unless the receiver took it. FAILED_PRECONDITION for a webhook with the address poll:. ${UNKNOWN}`,
  redeliver:
    `Sends events of a time again, up to ${asCount(MAX_REDELIVERED)}, the oldest first, and returns their number. Their ids stay. ` +
    `FAILED_PRECONDITION while the webhook is not active. ${UNKNOWN}`,
  confirmWebhookDeliveries:
    `Marks events of a webhook with the address poll: as DELIVERED, 1 to ${asCount(MAX_CONFIRMED)} by their ids, and returns the number of those ` +
    `that were PENDING. FAILED_PRECONDITION for a webhook with another address. ${UNKNOWN}`,
  webhooks: `Webhooks of the service, newest first; at most ${MAX_WEBHOOKS}.`,
  webhookDeliveries: `Events for a webhook, newest first, kept for the period of the tenant. ${UNKNOWN}`,
};
