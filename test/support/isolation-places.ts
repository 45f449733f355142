import { randomBytes, randomUUID } from 'node:crypto';
import type { Service } from '../../src/common/auth/scopes.js';

/** Places whose text names no object, by service and last name, or by full path. */
const TEXTS: Partial<Record<Service, string[]>> = {
  'file-management': [
    'comment',
    'contentType',
    'cacheControl',
    'checksumSha256',
    'accept',
    'email',
    'profile',
    'value',
    'moveFiles.to',
  ],
  'document-rendering': [
    'comment',
    'email',
    'profile',
    'subject',
    'body',
    'css',
    'text',
    'params',
    'sampleParams',
    'locale',
    'timeZone',
    'changedAfter',
    'renderFile.input.idempotencyKey',
  ],
  // Topics of the caller's own connections, which each call changes; tenants with topics of one name: topics.e2e-spec.
  'websockets-manager': [
    'message',
    'origin',
    'sourceIp',
    'add',
    'remove',
    'address',
    'name',
    'locale',
    'params',
    'subject',
    'textBody',
    // Checked by the services of these objects: push-fallback.e2e-spec.
    'pushMessage.input.fallback.templateName',
  ],
  'document-log': [
    'comment',
    'display',
    'raw',
    'profile',
    'newValue',
    'oldValue',
    'name',
    'updateLog.input.custom1',
    'updateLog.input.custom2',
    'logs.filter.dateTime.from',
    'logs.filter.dateTime.to',
  ],
  email: [
    'name',
    'subject',
    'htmlBody',
    'textBody',
    'params',
    'value',
    'list',
    'url',
    'locale',
    'timeZone',
    'content',
    'contentId',
    'contentType',
  ],
};

/** Places of files created by renderFile, whose texts are stored with them. */
const OF_RENDERED_FILES = /^renderFile\.input\.file\./;

/** Places of webhooks, the same in each service. */
const OF_WEBHOOKS = ['createWebhook', 'updateWebhook'].flatMap((name) =>
  ['url', 'description', 'secret'].map((field) => `${name}.input.${field}`),
);

/** Places of access tokens, the same in each service. What a token names need not exist. */
const OF_TOKENS = ['createAccessToken.input.scope.0', 'createAccessToken.input.recipient', 'createAccessToken.input.filePrefix',
  'createAccessToken.input.origins.0', 'denyAccess.input.recipient']; // prettier-ignore

/** Places of a log stream's URL. */
const OF_STREAMS = /^(create|update)LogStream\.input\./;

/** Returns the path of a place within its operation, without list positions. */
export const lastName = (place: string) => place.split('.').findLast((part) => !/^\d+$/.test(part))!;

export const isText = (service: Service, place: string): boolean =>
  OF_WEBHOOKS.includes(place) ||
  OF_TOKENS.includes(place) ||
  OF_STREAMS.test(place) ||
  OF_RENDERED_FILES.test(place) ||
  [place, lastName(place)].some((name) => TEXTS[service]?.includes(name));

/** Places of signed texts that name their tenant, whose refusal may say so. */
export const TELLING = ['verifyLogs.checkpoint', 'logConsistency.from', 'logConsistency.to'];

/** Returns a value of the same form that no tenant has. */
export function strangerOf(value: string): string {
  const [, last] = /\bbounce-[a-z2-7]{47}(.)@/.exec(value) ?? [];
  if (last) return value.replaceAll(`${last}@bounces.`, `${last === 'a' ? 'b' : 'a'}@bounces.`);
  if (/^[0-9a-f-]{36}$/.test(value)) return `${value.slice(0, -12)}${randomBytes(6).toString('hex')}`;
  if (value.endsWith('.example')) return `unknown-${randomUUID()}.example`;
  return value.includes('@') ? `p${randomUUID()}@example.com` : `unknown-${randomUUID()}${value.endsWith('/') ? '/' : ''}`;
}
