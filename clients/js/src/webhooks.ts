import type { PlatformEvent } from './events.js';

export type * from './events.js';

/** Reasons for which a request is refused. */
export type WebhookRefusal =
  | 'MISSING_HEADER'
  | 'MALFORMED_HEADER'
  | 'TOO_OLD'
  | 'TOO_NEW'
  | 'WRONG_SIGNATURE'
  /** Signed, but not an event of the platform. */
  | 'NOT_AN_EVENT';

/** A request that a webhook did not just send: answer with 400, and do nothing else. */
export class WebhookVerificationError extends Error {
  constructor(
    readonly reason: WebhookRefusal,
    message: string,
  ) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

/** Headers from `fetch`, Node or a framework; names in objects match in any case. */
export type WebhookHeaders = Pick<Headers, 'get'> | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /**
   * Allowed difference between the clocks of sender and receiver, in seconds; 300 by default. Use Infinity in tests that move a clock.
   */
  toleranceSeconds?: number;
}

const PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const LEAST_KEY_BYTES = 24;
const encoder = new TextEncoder();

/**
 * Returns the event of a request after verifying its signature (Standard Webhooks) and time. The body must be raw bytes or text, not
 * parsed JSON. Pass several secrets during a rotation, or if one URL serves several webhooks.
 * @throws WebhookVerificationError with the `reason` of the refusal; TypeError for invalid secrets or bodies
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<PlatformEvent> {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    throw new TypeError('The body must be the bytes or the text of the request, not what a parser made of them');
  }
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('Give the secret of the webhook');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  checkTime(timestamp, toleranceSeconds);
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), bytes);
  const expected = await Promise.all(keys.map((key) => sign(key, signed)));
  // Compares all with all, so that timing reveals nothing.
  const matches = expected.flatMap((one) => signatures.map((other) => isEqual(one, other)));
  if (!matches.includes(true)) throw new WebhookVerificationError('WRONG_SIGNATURE', 'No signature fits the body and a secret');
  return eventOf(bytes);
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = typeof secret === 'string' ? bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret) : undefined;
  if (key && key.length >= LEAST_KEY_BYTES) return key;
  throw new TypeError('A secret must be as createWebhook returned it: whsec_ and base64');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found = typeof headers.get === 'function' ? headers.get(name) : valueOf(headers as { [name: string]: unknown }, name);
  if (found) return String(found);
  throw new WebhookVerificationError('MISSING_HEADER', `The request has no header ${name}`);
}

function valueOf(headers: { readonly [name: string]: unknown }, name: string): unknown {
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return value;
}

function checkTime(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('MALFORMED_HEADER', 'The header webhook-timestamp is not a number of seconds');
  }
  const ageSeconds = Math.floor(Date.now() / 1_000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('TOO_OLD', `The request is ${ageSeconds} s old`);
  if (-ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('TOO_NEW', `The request is from ${-ageSeconds} s in the future: compare the clocks`);
  }
}

/** Returns the signatures of the known version. A header can have others, separated by spaces. */
function signaturesOf(header: string): Uint8Array[] {
  const known = header.split(' ').filter((one) => one.startsWith('v1,'));
  return known.map((one) => bytesOf(one.slice('v1,'.length))).filter((bytes) => bytes !== undefined);
}

/** Returns undefined for invalid base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function sign(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(algorithm, imported, signed));
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** Compares in constant time. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}

function eventOf(bytes: Uint8Array): PlatformEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as PlatformEvent | null;
    if (typeof event?.type === 'string' && typeof event.id === 'string') return event;
  } catch {
    // refused below
  }
  throw new WebhookVerificationError('NOT_AN_EVENT', 'The body is signed, but it is no event in JSON');
}
