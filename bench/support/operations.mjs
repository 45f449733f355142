// Operations that bench/compare repeats on both servers. Each creates its data through the public API and returns options of
// autocannon.
import { WebSocket } from 'ws';
import { FilesApi, READ_FILE } from './files-api.mjs';
import { GraphqlApi } from './graphql-api.mjs';
import { CREATE_BATCH, record } from './log-records.mjs';
import { download, upload } from './transfers.mjs';

export const CONNECTIONS = 16;
const CONTENT = Buffer.alloc(64 * 1024, 'content ');
const PAGE = 100;
const FILE = {
  name: 'invoice-2024-0815.pdf',
  comment: 'Sent to the customer on the day of the order',
  author: { id: 'u-17', name: 'Ada Lovelace', email: 'ada@example.com' },
  externalReference: 'order-0815',
  attributes: [{ name: 'kind', value: 'invoice' }],
};
const FILES = `query($limit:Int){files(limit:$limit){items{
  id name comment author{id name} contentType contentLength status createdAt updatedAt externalReference public attributes{name value}
} nextToken}}`;
const LOGS = `query($limit:Int){logs(limit:$limit){items{
  id documentId documentType dateTime attribute{id name} attributeNewValue{raw display} author{id name} action comment custom1
} nextToken}}`;
const TEXT = 'Thank you for your order. It is on its way.\n'.repeat(20);
const MAIL = { to: { address: 'ann@example.com' }, subject: 'Your order', htmlBody: `<p>${TEXT}</p>`, textBody: TEXT };
const TEMPLATE = '<p>Dear {{ name }}, your order {{ order.id }} is on its way.</p>';

/** Operations by name. A server has an `address`, a `key`, and `beforeStop`, which registers what must stop before it. */
export const OPERATIONS = {
  version: async (server) => asking(server, 'file-management', '{version}'),
  file: async (server) => {
    const { id } = await fileWithContent(server);
    return asking(server, 'file-management', READ_FILE, { id });
  },
  files: async (server) => {
    for (let made = 0; made < PAGE; made++) await new FilesApi(server.address, server.key).create(FILE);
    return asking(server, 'file-management', FILES, { limit: PAGE });
  },
  createFile: async (server) =>
    asking(server, 'file-management', 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', {
      input: FILE,
    }),
  upload: async (server) => {
    const files = await Promise.all(Array.from({ length: CONNECTIONS }, () => fileWithContent(server)));
    const requests = files.map(({ uploadUrl }) => ({ method: 'PUT', path: pathOf(uploadUrl), body: CONTENT }));
    let clients = 0; // each has a file of its own: those of one file would wait for each other
    return { url: server.address, setupClient: (client) => client.setRequests([{ ...requests[clients++ % CONNECTIONS] }]) };
  },
  download: async (server) => {
    const { id } = await fileWithContent(server);
    const { downloadUrl } = await new FilesApi(server.address, server.key).read(id);
    await download(downloadUrl, CONTENT.length);
    return { url: downloadUrl };
  },
  createLog: async (server) =>
    asking(server, 'document-log', 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input: record(1) }),
  logs: async (server) => {
    const input = Array.from({ length: 10 * PAGE }, (_, index) => record(index));
    await new GraphqlApi(server.address, 'document-log', server.key).ask(CREATE_BATCH, { input });
    return asking(server, 'document-log', LOGS, { limit: PAGE });
  },
  pushMessage: async (server) => {
    await connectAnn(server);
    const query = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id status} error{message}}}}';
    return asking(server, 'websockets-manager', query, { input: { recipients: ['ann'], message: 'x'.repeat(200) } });
  },
  render: async (server) => {
    const create = `mutation($body:String!){createTemplate(input:{name:"greeting",type:document,contentType:html,body:$body}){id}}`;
    await new GraphqlApi(server.address, 'document-rendering', server.key).ask(create, { body: TEMPLATE });
    const query = 'query($params:String!){render(input:{templateName:"greeting",params:$params}){body}}';
    return asking(server, 'document-rendering', query, { params: '{"name":"Ann","order":{"id":"17"}}' });
  },
  // Last, since its mails cannot be delivered and are retried.
  sendMessage: async (server) =>
    asking(server, 'email', 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', { input: MAIL }),
};

/** Sends the request once, so that a server's refusal is known before the measurement. */
export async function asking({ address, key }, service, query, variables = {}) {
  const api = new GraphqlApi(address, service, key);
  const data = await api.ask(query, variables);
  if (!isGood(JSON.stringify({ data }))) throw new Error(`${api.url} answered ${JSON.stringify(data)}`);
  const body = JSON.stringify({ query, variables });
  return { url: api.url, method: 'POST', headers: api.headers, body, verifyBody: isGood };
}

function isGood(body) {
  return body.startsWith('{"data":{') && !body.includes('"errors"') && !body.includes('"error":{');
}

async function fileWithContent({ address, key }) {
  const file = await new FilesApi(address, key).create(FILE);
  await upload(file.uploadUrl, CONTENT.length);
  return file;
}

async function connectAnn({ address, key, beforeStop }) {
  const api = new GraphqlApi(address, 'websockets-manager', key);
  const { registerRecipient } = await api.ask('mutation{registerRecipient(input:{recipient:"ann"}){connectionUri}}');
  const client = new WebSocket(registerRecipient.connectionUri, { perMessageDeflate: false });
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  beforeStop(() => client.terminate());
}

function pathOf(url) {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
