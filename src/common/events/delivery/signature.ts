import { createHmac } from 'node:crypto';

/** The headers of a request, as Standard Webhooks 1.0 defines them. `timestamp` is in seconds since 1970. */
export function signedHeaders(keys: readonly Buffer[], id: string, timestamp: number, body: string): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
