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
export const bodyOf = (id: string, event: Omit<NewEvent, 'tenantId'>, time: Date): EventBody => formatted(id, event, { time });

/** Formats the event of a test: a sample that is marked as such, or a ping. */
export function testBody(id: string, event: Omit<NewEvent, 'tenantId'>, time: Date): EventBody {
  return formatted(id, event, event.type === PING ? { time } : { time, test: true });
}

function formatted(id: string, event: Omit<NewEvent, 'tenantId'>, more: { time: Date; test?: true }): EventBody {
  const attributes = {
    specversion: '1.0',
    id,
    source: `/${event.service}`,
    type: wireType(event.type),
    ...more,
    subject: event.subject.replace(FORBIDDEN, encodeURIComponent),
    datacontenttype: 'application/json',
  };
  const whole = JSON.stringify({ ...attributes, data: event.data });
  const bodyBytes = Buffer.byteLength(whole);
  if (bodyBytes <= MAX_EVENT_BYTES) return { body: whole, bodyBytes };
  const body = JSON.stringify({ ...attributes, datatruncated: true, data: { id: event.subject } });
  return { body, bodyBytes: Buffer.byteLength(body) };
}
