import { PING, type NewEvent } from './event.js';

/** The largest body that is sent, in bytes; of a larger event it has only the id of the object. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** The value of `type` on the wire: `file.done` for FILE_DONE. */
export const wireType = (type: string): string => type.toLowerCase().replace('_', '.');

/** A body, and its length in bytes. */
export interface EventBody {
  body: string;
  bodyBytes: number;
}

/** Characters that CloudEvents 1.0 forbids in the text of an attribute. */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/** Writes an event as a CloudEvents 1.0 object in JSON. */
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

/** Writes the event of a test. */
export const pingBody = (id: string, service: NewEvent['service'], webhookId: string, time: Date): EventBody =>
  bodyOf(id, { service, type: PING, subject: webhookId, data: {} }, time);
