import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/prepare.mjs';
import { HOURS, MAX_COUNTED } from '../../src/common/lists/periods.js';
import { MAX_KEY_SECONDS } from '../../src/common/auth/api-key.js';
import { MAX_ANSWER_BYTES } from '../../src/common/scheduling/operation-budget.js';
import * as events from '../../src/common/events/delivery/limits.js';
import { MAX_FIELDS } from '../../src/common/graphql/documents/field-count.js';
import { MAX_ALIASES, MAX_COST, MAX_DEPTH, MAX_TOKENS } from '../../src/common/graphql/documents/query-limits.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_BYTES, SEARCH_MS } from '../../src/common/lists/page.js';
import { MAX_LEFT_COUNTED } from '../../src/common/tenants/tenant-data.js';
import { MAX_TENANT_NAME } from '../../src/common/tenants/tenant-names.js';
import { asBytes, asCount, asDays, asSeconds } from '../../src/common/base/amounts.js';
import { MAX_ADDRESS } from '../../src/common/base/email-address.js';
import { MAX_COMMENT, MAX_NAME } from '../../src/common/base/text.js';
import { MAX_WAIT_MS } from '../../src/common/scheduling/tenant-semaphore.js';
import { MAX_ENTRIES } from '../../src/modules/admin/key.model.js';
import { MAX_OVERLAP_SECONDS } from '../../src/modules/admin/admin.inputs.js';
import { MAX_RUNNING_ERASURES } from '../../src/modules/admin/person-erasure.model.js';
import { MAX_VALUE } from '../../src/modules/document-log/logs/log.inputs.js';
import { MAX_DOCUMENT_ATTRIBUTES, MAX_EDITS } from '../../src/modules/document-log/models/log.model.js';
import { MAX_RECORDS } from '../../src/modules/document-log/logs/log-results.model.js';
import { MAX_VERIFIED } from '../../src/modules/document-log/verification/progress.js';
import { MAX_STEPS } from '../../src/modules/document-log/verification/seal.model.js';
import { DEFAULT_PAGE } from '../../src/modules/document-rendering/models/css.model.js';
import * as rendering from '../../src/modules/document-rendering/models/limits.js';
import { MAX_TEXT } from '../../src/modules/document-rendering/models/template.model.js';
import { MAX_OUTPUT } from '../../src/modules/document-rendering/template-language/result/refusal.js';
import { MAX_ATTACHMENTS } from '../../src/modules/email/models/content.model.js';
import { MAX_ADDRESSES } from '../../src/modules/email/models/email.model.js';
import { MAX_IDENTITIES } from '../../src/modules/email/identities/identity.model.js';
import * as email from '../../src/modules/email/models/limits.js';
import * as files from '../../src/modules/file-management/models/limits.js';
import { KEY_LENGTH } from '../../src/modules/file-management/models/limits.js';
import { MAX_ATTRIBUTES, MAX_WITH_REFERENCE } from '../../src/modules/file-management/models/file.model.js';
import { MAX_PARTS } from '../../src/modules/file-management/multipart/multipart.model.js';
import {
  INBOX_DAYS,
  MAX_MARKED,
  MAX_UNREAD,
  MAX_MESSAGE,
  MAX_REWIND_MESSAGES,
  MAX_REWIND_SECONDS,
  MAX_REWOUND,
} from '../../src/modules/websockets-manager/models/limits.js';
import { MAX_PATTERN_LEVELS, MAX_TOPICS, MAX_TOPICS_BYTES } from '../../src/modules/websockets-manager/models/topics.js';
import { MAX_OBSERVED } from '../../src/modules/websockets-manager/recipients/topic-presence.service.js';
import { MEAN_TOPICS } from '../../src/modules/websockets-manager/sockets/connections.js';
import { MAX_RECIPIENTS } from '../../src/modules/websockets-manager/messages/message.model.js';

const page = `${DEFAULT_LIMIT}, up to ${asCount(MAX_LIMIT)} with \`limit\``;
const steppedPage = `${page}; ends early at ${asBytes(PAGE_BYTES)} or ${asSeconds(SEARCH_MS)} s`;
const names = `${asCount(MAX_NAME)} characters`;
const comments = `${asCount(MAX_COMMENT)} characters`;

/** Rows of the tables of limits in docs/, and what they say. Rows of settings are those of the settings, which `npm run settings` writes. */
const LIMITS: Record<string, Record<string, string>> = {
  admin: {
    'tenants or keys of a page': `${asCount(MAX_LIMIT)} with \`limit\`, ${DEFAULT_LIMIT} by default`,
    'name of a tenant': `1 to ${MAX_TENANT_NAME} characters, no control characters`,
    'entries of a scope': asCount(MAX_ENTRIES),
    'overlap of a rotation': `${asDays(1_000 * MAX_OVERLAP_SECONDS)} days; a day by default`,
    'lifetime of a key': `${asCount(MAX_KEY_SECONDS)} s`,
    'rows that `remaining` counts a kind': asCount(MAX_LEFT_COUNTED),
    'running erasures of a tenant': asCount(MAX_RUNNING_ERASURES),
    'authorId, recipient': names,
  },
  'document-log': {
    'records of a batch': `1 to ${asCount(MAX_RECORDS)}`,
    'names, ids, types, actions': names,
    'comment, `custom1`, `custom2`': comments,
    'values (`raw`, `display`)': `${asCount(MAX_VALUE)} characters each`,
    'edits of a record': asCount(MAX_EDITS),
    'attributes in a `documentState`': asCount(MAX_DOCUMENT_ATTRIBUTES),
    'page of `logs`': steppedPage,
    'records and edits of a `verifyLogs` call': `${asCount(MAX_VERIFIED)}; continue from \`checkedTo\``,
    'runs of `verifyLogs`': `after ${asSeconds(MAX_WAIT_MS)} s without a slot`,
    'concurrent exports and bundles': `after ${asSeconds(MAX_WAIT_MS)} s`,
    'blocks of a `logConsistency` call': asCount(MAX_STEPS),
  },
  events: {
    'webhooks of a tenant and service': asCount(events.MAX_WEBHOOKS),
    'time for an attempt': `${asSeconds(events.DELIVERY_TIMEOUT_MS)} s`,
    'events of one `redeliver`; by ids': `${asCount(events.MAX_REDELIVERED)}; ${events.MAX_REDELIVERED_IDS}`,
    'bytes that a tenant redelivers in a day; events a second to one host': `${asBytes(events.MAX_REDELIVERED_BYTES)}; ${events.REDELIVERED_PER_SECOND}`,
    'ids that one `confirmWebhookDeliveries` takes': asCount(events.MAX_CONFIRMED),
    '`overlap` of two secrets; former secrets that sign': `${asDays(events.MAX_OVERLAP_S * 1_000)} days; ${events.MAX_FORMER_SECRETS}`,
  },
  'document-rendering': {
    'body, stylesheet': `${asCount(MAX_TEXT)} characters each`,
    'name; subject': `${asCount(MAX_NAME)}; ${asCount(rendering.MAX_SUBJECT)} characters`,
    parameters: `${asBytes(rendering.MAX_PARAMS)} of JSON, ${rendering.MAX_PARAMS_DEPTH} levels deep`,
    output: asBytes(MAX_OUTPUT),
    'processor time of a rendering': `${asSeconds(rendering.WORK_LIMIT_MS)} s`,
    'queued renderings of a tenant': `${rendering.MAX_WAITING_OF_TENANT}, then`,
    'page of `templates` and of `css`': `${asCount(DEFAULT_PAGE)}; ends early at ${asBytes(PAGE_BYTES)}`,
  },
  email: {
    'recipients (`to`, `cc`, `bcc`)': `${MAX_ADDRESSES};`,
    '`attachments`, `inlineAttachments`': `${MAX_ATTACHMENTS}, together ${asBytes(email.MAX_ATTACHED_BYTES)}`,
    'an inline attachment': `${asBytes(email.MAX_INLINE_BYTES)}, decoded`,
    '`contentId`': `${email.MAX_CONTENT_ID} characters of`,
    '`htmlBody`, `textBody`': `${asCount(email.MAX_BODY)} characters each`,
    subject: `${email.MAX_SUBJECT} characters, one line`,
    address: `${MAX_ADDRESS} characters`,
    '`hours` of `messageActivity`': `1 to ${HOURS.max}; the newest ${asCount(MAX_COUNTED)} messages`,
    'identities of a tenant': asCount(MAX_IDENTITIES),
    'page of `messages`': steppedPage,
  },
  'file-management': {
    'parts of an upload': `1 to ${asCount(MAX_PARTS)}, each ${asBytes(files.MIN_PART_BYTES)} to ${asBytes(files.MAX_PART_BYTES)};`,
    'minimum speed of a transfer': `${asBytes(files.LEAST_BYTES_PER_SECOND)}/s on average`,
    'name, external reference': names,
    'comment, attribute value': comments,
    'attributes of a file': asCount(MAX_ATTRIBUTES),
    'page of `files`': steppedPage,
    'page of `fileFolders`': page,
    'prefix of a folder that is listed': `${KEY_LENGTH} characters (code points)`,
    '`filesWithExternalReference`': asCount(MAX_WITH_REFERENCE),
    '`storageHistory`': `${files.MAX_HISTORY_DAYS} days`,
  },
  'graphql-over-http': {
    'levels of fields': String(MAX_DEPTH),
    aliases: String(MAX_ALIASES),
    'fields that could be resolved': asCount(MAX_COST),
    'tokens; lines; characters': `${asCount(MAX_TOKENS)};`,
    'fields of a document': asCount(MAX_FIELDS),
    'bytes read; bytes answered': `${asBytes(MAX_ANSWER_BYTES)}; ${asBytes(MAX_ANSWER_BYTES)}`,
  },
  'websockets-manager': {
    'recipients of a push': `${asCount(MAX_RECIPIENTS)};`,
    message: `${asCount(MAX_MESSAGE)} characters`,
    'recipient, topic': names,
    'topics of a connection': `${MAX_TOPICS}; ${asCount(MAX_TOPICS_BYTES)} bytes together; ${MAX_PATTERN_LEVELS} slashes in a pattern`,
    'replayed messages of a topic; of a connection': `${MAX_REWIND_MESSAGES}, up to ${asCount(MAX_REWIND_SECONDS)} s old; ${asCount(MAX_REWOUND)}`,
    'connections of a topic on a node for presence frames': asCount(MAX_OBSERVED),
    'topics of all connections of a node; of a tenant on it': `${MEAN_TOPICS} times its maximum number of connections`,
    'ids of `markMessages`; unread messages counted': `${asCount(MAX_MARKED)}; ${asCount(MAX_UNREAD)}`,
    'messages in an inbox': `after ${INBOX_DAYS} days`,
    'page of `messages`, `globalMessages`, `inbox`, `onlineRecipients`, `topicRecipients`': page,
  },
};

/** Returns the rows of the table of limits of a page. */
function documented(service: string): [what: string, limit: string][] {
  const file = `${service === 'websockets-manager' ? 'push' : service}.md`;
  const [, limits = ''] = readFileSync(join(root, 'docs', file), 'utf8').split(/^## Limits$/m);
  const rows = limits.split(/^## /m, 1)[0]!.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm);
  return [...rows].map(([, what, limit]) => [what!, limit!]);
}

describe('the table of limits of', () => {
  const rows = Object.entries(LIMITS).flatMap(([service, limits]) =>
    Object.entries(limits).map((row) => [service, ...row] as const),
  );
  it.each(rows)('%s states for %s what its check enforces: %s', (service, what, limit) => {
    const row = documented(service).find(([name]) => name === what || name.startsWith(`${what},`));
    expect(row?.[1]).toContain(limit);
  });
});
