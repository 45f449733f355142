import { createHmac, randomBytes } from 'node:crypto';

/** Length of a secret. Standard Webhooks requires 24 to 64 bytes. */
export const SECRET_BYTES = 24;
const PREFIX = 'whsec_';

/** Formats a secret of SECRET_BYTES for its owner; by default a new one. */
export const secretOf = (key = randomBytes(SECRET_BYTES)): string => PREFIX + key.toString('base64');

/** Returns the bytes of a secret, the key of its signatures. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** Returns the headers of a request that sends an event now, signed by Standard Webhooks 1.0. */
export function deliveryHeaders(version: string, keys: readonly Buffer[], id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'user-agent': `platform-services/${version}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
