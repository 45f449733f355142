import { readFileSync } from 'node:fs';
import type { EventKinds } from '../../src/common/events/outbox/event.js';
import { LOG_EVENTS } from '../../src/modules/document-log/records/log-events.js';
import { RENDERING_EVENTS } from '../../src/modules/document-rendering/templates/rendering-events.js';
import { MAIL_EVENTS } from '../../src/modules/email/models/events.js';
import { FILE_EVENTS } from '../../src/modules/file-management/file-storage/file-events.js';
import { PUSH_EVENTS } from '../../src/modules/websockets-manager/models/push.js';

const SOURCES: Record<string, EventKinds> = {
  '/file-management': FILE_EVENTS,
  '/document-rendering': RENDERING_EVENTS,
  '/websockets-manager': PUSH_EVENTS,
  '/document-log': LOG_EVENTS,
  '/email': MAIL_EVENTS,
};
/** Real events by source and type, from a page that a test compares with what is sent. */
const real = new Map<string, { data: object }>();
const page = readFileSync(new URL('../../docs/event-examples.md', import.meta.url), 'utf8');
for (const [, first, json, alike = ''] of page.matchAll(/^## (\w+)\n\n```json\n(.*?)\n```\n(?:\nSame members: ([^\n]*))?/gms)) {
  const event = JSON.parse(json!) as { source: string; data: object };
  for (const type of [first!, ...(alike.match(/\w+/g) ?? [])]) real.set(`${event.source} ${type}`, event);
}

describe('the sample of an event', () => {
  const samples = Object.entries(SOURCES).flatMap(([source, kinds]) =>
    Object.entries(kinds).map(([type, { sample }]) => ({ name: `${source} ${type}`, sample })),
  );
  it.each(samples)('has the members of a real one: $name', ({ name, sample }) => {
    const { data } = real.get(name)!;
    expect(shapeOf(sample.data, data)).toEqual(shapeOf(data, sample.data));
  });
});

/** Returns the names of the members, also of objects that the other one has too. */
function shapeOf(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) return value.length && other.length ? [shapeOf(value[0], other[0])] : [];
  if (!isObject(value) || !isObject(other)) return null;
  const members = Object.keys(value).sort();
  return Object.fromEntries(members.map((name) => [name, shapeOf(value[name], other[name])]));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
