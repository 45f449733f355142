import { timeOfId } from '../../base/ids.js';
import type { WebhookModel } from '../../../generated/sqlite/models.js';
import type { Webhook } from './webhook.model.js';

export type WebhookRow = WebhookModel;

/** Returns a webhook. `loadCounts` is called when its counts are requested. */
export function toWebhook(row: WebhookRow, loadCounts: Webhook['loadCounts']): Webhook {
  const { id, url, active, description, updatedAt, failingSince, lastError, lastDeliveredAt, pausedUntil, disabledAt } = row;
  const previousSecretUntil = row.previousSecretUntil && row.previousSecretUntil > new Date() ? row.previousSecretUntil : null;
  return {
    id,
    url,
    active,
    description,
    updatedAt,
    failingSince,
    lastError,
    lastDeliveredAt,
    pausedUntil: pausedUntil && pausedUntil > new Date() ? pausedUntil : null,
    disabledAt,
    previousSecretUntil,
    createdAt: new Date(timeOfId(id)),
    events: JSON.parse(row.events) as string[],
    loadCounts,
  };
}
