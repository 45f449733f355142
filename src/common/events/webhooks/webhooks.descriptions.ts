import { asCount, asDays, MIB } from '../../base/amounts.js';
import { KNOWN_WITHIN_MS } from '../outbox/webhook-directory.js';
import {
  FEW_REDELIVERED,
  LATEST_EVENTS,
  MAX_CONFIRMED,
  MAX_FORMER_SECRETS,
  MAX_OVERLAP_S,
  MAX_REDELIVERED,
  MAX_REDELIVERED_BYTES,
  MAX_REDELIVERED_IDS,
  MAX_WAITING,
  MAX_WEBHOOKS,
  REDELIVER_WINDOW_MS,
  REDELIVERED_PER_SECOND,
} from '../delivery/limits.js';

const UNKNOWN = 'NOT_FOUND for an unknown id.';
const READING =
  'FORBIDDEN unless the key has the scope entry of a query that returns the objects of the events, such as query:*.';

/** Schema descriptions of the webhook operations. */
export const WEBHOOKS = {
  createWebhook:
    `Creates a webhook. Events are recorded from now on, by other nodes from ${KNOWN_WITHIN_MS / 1_000} s on. ` +
    `BAD_USER_INPUT for a URL that must not be called. PAYLOAD_TOO_LARGE over ${MAX_WEBHOOKS} webhooks of the service. ${READING}`,
  updateWebhook: `Changes a webhook. Queued events go to the new URL. BAD_USER_INPUT for a URL that must not be called. FAILED_PRECONDITION for another secret while ${MAX_FORMER_SECRETS} former ones still sign. ${READING} ${UNKNOWN}`,
  deleteWebhook: `Deletes a webhook and its queued events, and returns its last state. ${UNKNOWN}`,
  rotateWebhookSecret:
    'Creates a new secret. The secrets of earlier rotations sign until their own overlaps end. ' +
    `FAILED_PRECONDITION while ${MAX_FORMER_SECRETS} of them still sign. ${UNKNOWN}`,
  overlap:
    `Seconds during which the previous secret signs too, 0 to ${asCount(MAX_OVERLAP_S)} (${asDays(MAX_OVERLAP_S * 1_000)} days). ` +
    'With 0 only the new secret signs.',
  testWebhook:
    'Sends an event once, now, even if the webhook is inactive, and returns its delivery: FAILED with the ' +
    `reason unless the receiver accepted it. FAILED_PRECONDITION for a webhook with the URL \`poll:\`. ${UNKNOWN}`,
  testType:
    'Type of the event, also one that the webhook does not subscribe to. Its data is a sample, and its attribute test is true. A ping without data by default.',
  redeliver:
    `Sends events again, or now if they are queued, and returns their number. Give from, ids or both. Sends up to ${asCount(MAX_REDELIVERED)}, the oldest ` +
    `first, ${REDELIVERED_PER_SECOND} a second of a tenant to one host, each with a new series of attempts and its old id. RATE_LIMITED for a second call in ` +
    `${REDELIVER_WINDOW_MS / 60_000} minutes if the webhook gets over ${FEW_REDELIVERED} events by both, and once the tenant sent ${MAX_REDELIVERED_BYTES / MIB} MiB again in a day. ` +
    `FAILED_PRECONDITION while the webhook is not active. ${UNKNOWN}`,
  redeliverStatus:
    'FAILED; DELIVERED for events that the receiver accepted and lost; or PENDING to send queued events now. By default FAILED with from, any with ids.',
  redeliverIds: `Ids of the events, 1 to ${MAX_REDELIVERED_IDS}. Unknown ids are skipped.`,
  confirmWebhookDeliveries:
    `Marks events of a webhook with the URL \`poll:\` as DELIVERED, 1 to ${asCount(MAX_CONFIRMED)} by their ids, and returns the number of those ` +
    `that were PENDING. FAILED_PRECONDITION for a webhook with another URL. ${UNKNOWN}`,
  waiting: `Number of queued events; ${asCount(MAX_WAITING)} means that many or more.`,
  successRate: `Share of DELIVERED among the delivered and failed of the latest ${LATEST_EVENTS} events, 0 to 1; null without any.`,
  webhooks: `Webhooks of the service, newest first; at most ${MAX_WEBHOOKS}.`,
  webhookDeliveries: `Events for a webhook, newest first, retained for the period of the tenant. Their bodies contain objects of the service, without the scope entries of their queries. ${UNKNOWN}`,
};
