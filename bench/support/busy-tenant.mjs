// Tenant with enough data of each kind to expose unbounded operations, created through the public API.
import { WebSocket } from 'ws';
import { FilesApi } from './files-api.mjs';
import { GraphqlApi } from './graphql-api.mjs';
import { CREATE_BATCH, record } from './log-records.mjs';
import { upload } from './transfers.mjs';

const BATCH = 2_000;
const FILES = 3_000;
/** Number of pushes, to a thousand recipients each. */
const PUSHES = 50;
const LARGE_FILE = 20 * 1024 * 1024;
/** Actions to search for. No record of type-1 has the first, so a search for both reads its index to the end. */
const ACTIONS = ['update', 'create'];
const IN_FUTURE = '2099-01-01T00:00:00Z';
/** One event of each service that has webhooks. */
const EVENTS = {
  'file-management': 'FILE_DONE',
  'document-rendering': 'PARTIAL_CREATED',
  'websockets-manager': 'MESSAGE_CANCELLED',
  'document-log': 'LOG_CREATED',
  email: 'DOMAIN_FAILED',
};
const DAY_MS = 24 * 60 * 60_000;
/** Template that occupies a render process for half a second, with a body that the server process soon passes on. */
const HEAVY = '{% for a in list %}{% for b in list %}<p>{{ a }} {{ b }}</p>{% endfor %}{% endfor %}';
const PARAMS = JSON.stringify({ name: 'Ann', list: Array.from({ length: 400 }, (_, i) => `value ${i}`) });

/** Creates the tenant, and returns the argument values for `operationsOf`, and the URL of a large file. */
export async function makeBusyTenant(address, key, records) {
  const api = (service) => new GraphqlApi(address, service, key);
  const log = await makeLog(api('document-log'), records);
  const { file, downloadUrl } = await makeFiles(api('file-management'), new FilesApi(address, key));
  const message = await makeMessages(api('websockets-manager'));
  await makeTemplates(api('document-rendering'));
  for (let i = 0; i < 20; i++) {
    const input = { to: { address: 'ann@example.com' }, subject: 's', textBody: 't'.repeat(10_000) };
    await api('email').ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', { input });
  }
  const hooks = await makeWebhooks(api);
  return { values: { ...COMMON, ...log, ...file, ...message, ...hooks }, downloadUrl };
}

/** Values that need no data. Omits filters by a text unique to one object, which would shorten every list. */
const COMMON = {
  nextToken: undefined, id: undefined, ids: undefined, limit: 1_000, days: 90, hours: 168, text: undefined,
  'logs.filter': { documentType: 'type-1', action: 'update', dateTime: { from: '2020-01-01', to: '2099-01-01' } },
  'logs.order': { $enum: 'EVENT' },
  at: IN_FUTURE, documentId: 'large', documentType: 'type-1', from: undefined, to: undefined,
  'verifyLogs.from': '2020-01-01T00:00:00Z', 'verifyLogs.to': IN_FUTURE,
  'files.filter': { active: true, namePrefix: 'a/', createdAt: { from: '2020-01-01T00:00:00Z' } },
  'filesWithExternalReference.filter': undefined, externalReference: 'r',
  'storageHistory.days': 400, prefix: 'a/',
  'email.messages.filter': { createdAt: { from: '2020-01-01T00:00:00Z' } },
  'websockets-manager.messages.filter': { createdAt: { from: '2020-01-01T00:00:00Z' }, topic: 'none' },
  'sendMessage.input': { to: [{ address: 'ann@example.com' }], templateName: 'heavy mail', params: PARAMS },
  'globalMessages.filter': { createdAt: { from: '2020-01-01T00:00:00Z' } },
  'webhooks.limit': 20, 'webhookDeliveries.limit': 100, 'emailDomains.limit': 100, 'logStreams.limit': 5, 'templateVersions.limit': 50,
  'templateVersions.name': 'heavy', 'suppressions.filter': { address: 'ann@example.com' }, locale: 'de', timeZone: 'Europe/Berlin', version: undefined,
  'filesArchiveUrl.folder': undefined, 'webhookDeliveries.filter': { status: { $enum: 'PENDING' } },
  'css.filter': { name: 'sheet' }, 'templates.filter': { active: true }, recipient: 'ann',
  templateName: 'heavy', params: PARAMS, strict: false,
  template: { type: { $enum: 'document' }, contentType: { $enum: 'html' }, body: HEAVY },
}; // prettier-ignore

async function makeLog(api, records) {
  const now = Date.now();
  const recent = (index) => new Date(now - (index % 80) * DAY_MS - index).toISOString();
  const make = async (input) => (await api.ask(CREATE_BATCH, { input })).createLogBatch.results;
  const of = (index, given) => ({ ...record(index), dateTime: recent(index), action: ACTIONS[index % 2], ...given });
  let ids = [];
  for (let from = 0; from < records; from += BATCH) ids = await make(Array.from({ length: BATCH }, (_, i) => of(from + i, {})));
  for (let from = 0; from < 2 * BATCH; from += BATCH) {
    const large = { documentId: 'large', documentType: 'type-1' };
    await make(Array.from({ length: BATCH }, (_, i) => of(i, { ...large, attribute: { id: `attribute ${from + i}` } })));
  }
  const seals = [await sealOf(api)];
  await make([of(0, {})]);
  while (seals.length < 2) {
    const seal = await sealOf(api);
    if (seal !== seals[0]) seals.push(seal);
  }
  return {
    'logProof.id': ids[0].itemId, 'verifyLogs.checkpoint': seals[0], 'logConsistency.from': seals[0], 'logConsistency.to': seals[1],
  }; // prettier-ignore
}

async function sealOf(api) {
  for (;;) {
    const { latestSeal } = await api.ask('{latestSeal}');
    if (latestSeal) return latestSeal;
  }
}

async function makeFiles(api, files) {
  const create = (i) => `a${i}:createFile(input:{name:"a/b${i % 1_500}/c${i}.pdf",externalReference:"r",comment:"text"}){id}`;
  for (let from = 0; from < FILES; from += 100)
    await api.ask(`mutation{${Array.from({ length: 100 }, (_, i) => create(from + i)).join(' ')}}`);
  const { id, uploadUrl } = await files.create({ name: 'large.bin' });
  await upload(uploadUrl, LARGE_FILE);
  const begun = await files.create({ name: 'in-parts.bin' });
  const begin = 'mutation($id:String!){initiateMultipartUpload(input:{fileId:$id}){uploadId}}';
  const { uploadId } = (await api.ask(begin, { id: begun.id })).initiateMultipartUpload;
  const { downloadUrl } = await files.read(id);
  return {
    file: { ID: id, 'filesArchiveUrl.ids': [id], 'multipartUpload.fileId': begun.id, 'multipartUpload.uploadId': uploadId },
    downloadUrl,
  };
}

/** Creates a webhook in each service. That of document-log has a page of deliveries. */
async function makeWebhooks(api) {
  const create = 'mutation($input:CreateWebhookInput!){createWebhook(input:$input){webhook{id}}}';
  const ids = {};
  for (const [service, event] of Object.entries(EVENTS)) {
    const { webhook } = (await api(service).ask(create, { input: { url: 'poll:', events: [event] } })).createWebhook;
    ids[`${service}.webhookDeliveries.webhookId`] = webhook.id;
  }
  await api('document-log').ask(CREATE_BATCH, { input: Array.from({ length: 200 }, (_, at) => record(at)) });
  return ids;
}

async function makeMessages(api) {
  const { registerRecipient } = await api.ask('mutation{registerRecipient(input:{recipient:"ann"}){connectionUri}}');
  const client = new WebSocket(registerRecipient.connectionUri, { perMessageDeflate: false });
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  client.terminate();
  const push = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id}}}}';
  for (let i = 0; i < PUSHES; i++) {
    const recipients = Array.from({ length: 1_000 }, (_, at) => `r${at}`);
    await api.ask(push, { input: { message: 'm'.repeat(100), recipients, expiresAt: IN_FUTURE } });
  }
  const global = 'mutation{pushGlobalMessage(input:{message:"m"}){id}}';
  for (let i = 0; i < 50; i++) await api.ask(global);
  return {};
}

async function makeTemplates(api) {
  const create = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
  await api.ask(create, { input: { name: 'heavy', type: 'document', contentType: 'html', body: HEAVY } });
  await api.ask(create, { input: { name: 'heavy mail', type: 'email', contentType: 'html', subject: 's', body: HEAVY } });
  const css = 'mutation($input:CreateCssInput!){createCss(input:$input){id}}';
  for (let i = 0; i < 20; i++) await api.ask(css, { input: { name: 'sheet', text: 'a{color:red}\n'.repeat(7_000) } });
}
