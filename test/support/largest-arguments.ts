import { ENDPOINTS, type Service } from '../../src/common/auth/scopes.js';
import type { Call } from './one-call.js';
import { callOf, headersOf } from './mcp.js';
import type { ManyRows } from './many-rows.js';
import type { Known } from './schema-walk.js';

const MANY = 1_000;
const EARLY = '2020-01-01T00:00:00Z';
const LATE = '2090-01-01T00:00:00Z';
const NOWHERE = 'zzzzz';
const ATTRIBUTES = Array.from({ length: 100 }, (_, at) => ({ name: `a${at}`, value: 'v' }));

const listOf = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Extends a report to 250 KB with return paths that nobody signed. */
const longer = (report: string) => report.replace(/\r?\n\r?\n/, (gap) => `${gap}${listOf(3_500, (at) => `bounce-${String(at).padStart(48, 'a')}@bounces.sender.example`).join('\r\n')}${gap}`); // prettier-ignore

/** Arguments of pages: the largest page, and a filter that no row passes. */
const OF_ALL = { limit: MANY, days: 90, hours: 336 };

/**
 * The most that an operation can be asked for, by its name; a function gets the value of the World. What is not here comes from the rule of `known` of a World (isolation-worlds.ts),
 * and what neither has is found by type.
 */
export function largestArguments(rows: ManyRows): Partial<Record<Service, Record<string, Known>>> {
  const webhooks = {
    webhooks: { limit: 20 }, webhookDeliveries: { limit: 100 }, redeliver: { from: EARLY },
  }; // prettier-ignore
  return {
    'file-management': {
      ...webhooks,
      files: { ...OF_ALL, filter: { contains: NOWHERE } },
      fileFolders: { limit: MANY, prefix: 'busy/' },
      filesWithExternalReference: { limit: MANY },
      filesArchiveUrl: { folder: 'same/', ids: undefined },
      storageHistory: { days: 400 },
      updateFile: { input: { id: rows.fileId, attributes: ATTRIBUTES } },
      moveFiles: { folder: 'busy/', to: 'moved/', ids: undefined },
      deleteFiles: { folder: 'other/', ids: undefined },
    },
    'document-log': {
      ...webhooks,
      logs: { limit: MANY, filter: { action: NOWHERE } },
      logsWrittenSince: { limit: MANY },
      logStreams: { limit: 5 },
      logActivity: { days: 90 },
      verifyLogs: { from: EARLY, to: LATE },
      rewindLogStream: { to: EARLY },
    },
    'document-rendering': {
      ...webhooks,
      templates: { limit: MANY },
      partials: { limit: MANY },
      css: { limit: MANY },
      templateVersions: { name: rows.templateName, limit: 50 },
      renderFile: { input: { templateName: rows.templateName, params: '{}' } },
      updatePartial: { id: rows.partialId, input: { body: '<b>{{ b }}</b>' } },
    },
    'websockets-manager': {
      ...webhooks,
      messages: { limit: MANY, filter: { topic: NOWHERE } },
      globalMessages: { limit: MANY },
      onlineRecipients: { limit: MANY },
      topicRecipients: { topic: NOWHERE, limit: MANY },
      inbox: { recipient: NOWHERE, limit: MANY },
      markMessages: { recipient: NOWHERE, ids: null, all: true, state: 'READ' },
      changeTopics: { add: listOf(100, (at) => `t${at}/*`), remove: [NOWHERE] },
      messageActivity: { hours: 336 },
      pushMessage: {
        input: {
          recipients: listOf(MANY, (at) => `n${at}`),
          message: 'm',
          expiresAt: LATE,
          fallback: { after: 86_400, to: listOf(MANY, (at) => ({ address: `n${at}@example.com` })), textBody: 't' },
        },
      },
    },
    email: {
      ...webhooks,
      messages: { limit: MANY, filter: { contains: NOWHERE } },
      suppressions: { limit: MANY },
      emailDomains: { limit: 100 },
      messageActivity: { hours: 336 },
      reportBounce: { report: longer },
      deleteSuppression: { address: (own: string) => own },
      createSuppressions: { input: listOf(MANY, (at) => ({ address: `new${at}@example.com` })) },
    },
  };
}

/** Transfers of one file, in a counted slot: `open-files` and `transfers` measure them. */
const TRANSFER: Call[] = [];
/** GraphQL operations, which are measured one by one. */
const OPERATIONS: Call[] = [];

const toolCall = (key: string, name: string, given: object): Call => ({
  path: '/mcp',
  method: 'POST',
  headers: headersOf(key),
  body: JSON.stringify(callOf(name, given)),
});

/** Calls of each route, as `GET /path`. */
export function largestRoutes({ archiveUrl }: ManyRows, key: string): Record<string, Call[]> {
  const headers = { 'x-api-key': key };
  const { pathname, search } = new URL(archiveUrl);
  const get = (path: string): Call => ({ path, headers, body: undefined });
  const form = (path: string): Call => ({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${'a'.repeat(4_000)}`,
  });
  const token = `?token=${'a'.repeat(4_000)}`;
  return {
    ...Object.fromEntries(
      ENDPOINTS.map((one) => [`GET /${one}/graphql/schema.graphql`, [get(`/${one}/graphql/schema.graphql`)]]),
    ),
    ...Object.fromEntries(ENDPOINTS.flatMap((one) => ['GET', 'POST'].map((method) => [`${method} /${one}/graphql`, OPERATIONS]))),
    'GET /file-management/files/archive': [{ ...get(pathname + search), headers: {} }],
    'GET /file-management/files/:id': TRANSFER,
    'PUT /file-management/files/:id': TRANSFER,
    'PUT /file-management/files/:id/parts/:uploadId/:partNumber': TRANSFER,
    'GET /document-log/export': ['ndjson', 'csv', 'bundle'].map((format) => get(`/document-log/export?format=${format}`)),
    'GET /.well-known/platform-services/document-log-keys': [get('/.well-known/platform-services/document-log-keys')],
    'GET /email/unsubscribe': [get(`/email/unsubscribe${token}`)],
    'POST /email/unsubscribe': [form('/email/unsubscribe')],
    'GET /email/identities/verify': [get(`/email/identities/verify${token}`)],
    'POST /email/identities/verify': [form('/email/identities/verify')],
    'GET /key': [get('/key')],
    'GET /key/requests': [get('/key/requests?hours=720')],
    'POST /mcp': ['rendering_templates', 'files_files'].map((name) => toolCall(key, name, { limit: MANY })),
    'GET /metrics': [get('/metrics')],
    'GET /health/live': [get('/health/live')],
    'GET /health/ready': [get('/health/ready')],
    'GET /health/ready/:service': [get('/health/ready/email')],
    'GET /studio': [get('/studio')],
    'GET /studio/*': [get('/studio/')],
  };
}
