import { createHmac, randomBytes } from 'node:crypto';

/** Length of a secret. Standard Webhooks requires 24 to 64 bytes. */
export const SECRET_BYTES = 24;
const PREFIX = 'whsec_';
const MAX_SECRET_BYTES = 64;
export const SECRET_FORM = `${PREFIX} and the base64 of ${SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes`;

/** Formats a secret of SECRET_BYTES for its owner; by default a new one. */
export const secretOf = (key: Buffer = randomBytes(SECRET_BYTES)): string => PREFIX + key.toString('base64');

/** Returns the bytes of a secret, the key of its signatures. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** Returns whether a text has the form of a secret, with or without padding. */
export function isSecret(text: string): boolean {
  const key = keyOf(text);
  if (key.length < SECRET_BYTES || key.length > MAX_SECRET_BYTES) return false;
  return [secretOf(key), secretOf(key).replace(/=+$/, '')].includes(text);
}

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
