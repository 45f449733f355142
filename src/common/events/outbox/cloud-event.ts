import { PING, type NewEvent } from './event.js';

/** Maximum size of a body, in bytes. A larger event contains only the id of its object. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** Returns the `type` of the CloudEvent: `file.done` for FILE_DONE. */
export const wireType = (type: string): string => type.toLowerCase().replace('_', '.');

/** Body with its length in bytes. */
export interface EventBody {
  body: string;
  bodyBytes: number;
}

/** Characters that CloudEvents 1.0 forbids in attributes. */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/** Formats an event as a CloudEvents 1.0 object in JSON. */
export function bodyOf(id: string, event: Omit<NewEvent, 'tenantId'>, time: Date): EventBody {
  const attributes = {
    specversion: '1.0',
    id,
    source: `/${event.service}`,
    type: wireType(event.type),
    time,
    subject: event.subject.replace(FORBIDDEN, encodeURIComponent),
    datacontenttype: 'application/json',
  };
  const whole = JSON.stringify({ ...attributes, data: event.data });
  const bodyBytes = Buffer.byteLength(whole);
  if (bodyBytes <= MAX_EVENT_BYTES) return { body: whole, bodyBytes };
  const body = JSON.stringify({ ...attributes, datatruncated: true, data: { id: event.subject } });
  return { body, bodyBytes: Buffer.byteLength(body) };
}

/** Formats the event of a test. */
export const pingBody = (id: string, service: NewEvent['service'], webhookId: string, time: Date): EventBody =>
  bodyOf(id, { service, type: PING, subject: webhookId, data: {} }, time);
