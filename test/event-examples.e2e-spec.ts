import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Service } from '../src/common/auth/scopes.js';
import { TenantData } from '../src/common/tenants/tenant-data.js';
import { FileSweeper } from '../src/modules/file-management/expiry/file-sweeper.job.js';
import type { Api } from './support/api.js';
import { feedbackReport, statusReport } from './support/bounce-reports.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email } from './support/email.js';
import { needing, program } from './support/needs.js';
import { NameServer } from './nodes/name-server.mjs';
import { eventsOf, Webhooks } from './support/webhooks.js';
import { inSeconds, Push, until } from './support/websockets.js';

const { it } = needing(program('dnsmasq'));
const PAGE = new URL('../docs/event-examples.md', import.meta.url);
const INTRODUCTION = `# Examples of events

One body of each event, as a receiver gets it; [events.md](events.md) says when each comes. A test makes them with the real operations and
replaces ids and times.
`;
const SETTINGS = {
  RETURN_PATH_DOMAIN: 'bounces.shop.example',
  LOG_RETENTION_DAYS: '30',
  EMAIL_FROM: 'Shop <orders@shop.example>',
};

let names: NameServer;
let email: Email;
beforeAll(async () => {
  names = await NameServer.start();
  email = await Email.start({ ...SETTINGS, EMAIL_DNS_SERVERS: names.address });
});
afterAll(async () => {
  await email.stop();
  await names.stop();
});

/** What the services do in their examples. Each event of a service comes at least once. */
const MAKERS: Record<string, (api: Api) => Promise<void>> = {
  'file-management': async (api) => {
    const create = async (input: object) =>
      (await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input })).createFile;
    const put = (url: string) => fetch(url, { method: 'PUT', body: 'Invoice 0815', headers: { 'content-type': 'text/plain' } });
    const author = { id: 'u-17', name: 'Ada Lovelace' };
    const file = {
      name: 'invoice-0815.txt',
      externalReference: 'order-0815',
      author,
      attributes: [{ name: 'kind', value: 'invoice' }],
    };
    const { id, uploadUrl } = await create(file);
    await put(uploadUrl);
    await put((await create({ ...file, checksumSha256: '0'.repeat(64) })).uploadUrl);
    await api.ask('mutation($id:String){deleteFile(id:$id){id}}', { id });
    await create({ ...file, expiresIn: 1 });
    const sweeper = email.server.app.get(FileSweeper, { strict: false });
    await until(async () => {
      await sweeper.sweep();
      const { files } = await api.ask('{files{items{status}}}');
      return files.items.some(({ status }: { status: string }) => status === 'expired');
    });
  },
  'document-rendering': async (api) => {
    const author = { id: 'u-17', name: 'Ada Lovelace' };
    const { createCss } = await api.ask('mutation($input:CreateCssInput!){createCss(input:$input){id}}', {
      input: { name: 'house', text: 'p { color: #333 }', author },
    });
    const { createTemplate } = await api.ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', {
      input: {
        name: 'greeting',
        type: 'document',
        contentType: 'html',
        body: '<p>Dear {{ name }}</p>',
        parentCssId: createCss.id,
        author,
      },
    });
    const [template, css] = [{ id: createTemplate.id }, { id: createCss.id }];
    await api.ask(
      'mutation($id:ID!){updateTemplate(id:$id,input:{body:"<p>Hello {{ name }}</p>",contentType:html}){id}}',
      template,
    );
    await api.ask('mutation($id:ID!){deleteTemplate(id:$id){id}}', template);
    await api.ask('mutation($id:ID!){updateCss(id:$id,input:{text:"p { color: #222 }"}){id}}', css);
    await api.ask('mutation($id:ID!){deleteCss(id:$id){id}}', css);
    const { createPartial } = await api.ask('mutation($input:CreatePartialInput!){createPartial(input:$input){id}}', {
      input: { name: 'footer', contentType: 'html', body: '<p>Example Ltd</p>', author },
    });
    const partial = { id: createPartial.id };
    await api.ask('mutation($id:ID!){updatePartial(id:$id,input:{body:"<p>Example Ltd, Zurich</p>"}){id}}', partial);
    await api.ask('mutation($id:ID!){deletePartial(id:$id){id}}', partial);
  },
  'websockets-manager': async (api) => {
    const push = new Push(api);
    const ann = await push.connect('user-17');
    await push.push('user-17', 'Your order is on its way.', { expiresAt: inSeconds(600) });
    await push.push('user-18', 'Your order is on its way.');
    await ann.close();
  },
  'document-log': async (api) => {
    const input = {
      documentId: 'order-0815',
      documentType: 'order',
      dateTime: '2026-01-15T12:00:00Z',
      attribute: { id: 'status', name: { en: 'Status' } },
      attributeOldValue: { raw: 'paid' },
      attributeNewValue: { raw: 'shipped' },
      author: { id: 'u-17', name: 'Ada Lovelace' },
      action: 'update',
    };
    const sealed = () => until(async () => (await api.ask('{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0);
    const { createLog } = await api.ask('mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input });
    await sealed();
    const { updateLog } = await api.ask('mutation($id:ID!){updateLog(input:{id:$id,comment:"By hand"}){edits{id}}}', {
      id: createLog.itemId,
    });
    const { id: editId } = updateLog.edits[0];
    await until(async () => (await api.ask('query($id:ID!){logProof(id:$id){block}}', { id: editId })).logProof);
    const logs = email.server.app.get(TenantData).retained.find(({ kind }) => kind === 'logs')!;
    await logs.remove(await email.server.tenantIdOf(api), new Date(Date.now() + 1_000), { limit: 500 });
  },
  email: async (api) => {
    const send = async (address: string) => {
      const input = {
        to: { address, name: 'Ann' },
        subject: 'Your order',
        textBody: 'It is on its way.',
        unsubscribe: { list: 'orders' },
      };
      const { sendMessage } = await api.ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', { input });
      const FIND = 'query($id:ID!){messages(filter:{id:$id}){items{status}}}';
      await until(async () => (await api.ask(FIND, { id: sendMessage.id })).messages.items[0].status !== 'QUEUED');
    };
    const [good, refused] = ['ann@example.com', 'nobody@example.com'];
    email.mail.recipients.set(refused, 550);
    await send(refused);
    await send(good);
    const [mail] = await email.mail.to(good);
    const diagnostic = `smtp; 550 5.1.1 <${good}>: no such user here`;
    const reports = [
      statusReport({ to: mail!.from, action: 'delayed', status: '4.4.1', diagnostic: 'smtp; connection refused' }),
      statusReport({ to: mail!.from, diagnostic }),
      feedbackReport({ to: mail!.from }),
    ];
    for (const report of reports) await api.ask('mutation($report:String!){reportBounce(report:$report){at}}', { report });
    const [link] = mail!.raw.match(/(?<=^List-Unsubscribe: <)[^>]+/m)!;
    await fetch(link, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    await domainEvents(api);
  },
};

/** Verifies a domain, and takes a record of it away for so long that it fails. */
async function domainEvents(api: Api): Promise<void> {
  const domain = 'shop.example';
  const { emailDomain } = allRowsOf('only time lets a domain be checked again or fail', email.server);
  const { createEmailDomain } = await api.ask(
    'mutation($domain:String!){createEmailDomain(domain:$domain){records{purpose type name value}}}',
    { domain },
  );
  const check = async (failingSince: Date | null) => {
    await emailDomain.updateMany({ where: { domain }, data: { askedAt: null, failingSince } });
    await api.ask('mutation($domain:String!){checkEmailDomain(domain:$domain){status}}', { domain });
  };
  await names.add(...createEmailDomain.records);
  await check(null);
  await names.remove(createEmailDomain.records[1].name);
  await check(new Date(Date.now() - 4 * 86_400_000));
}

/** Makes the events of a service, and returns the body of the first of each. */
async function examplesOf(service: string): Promise<string[]> {
  const hooks = new Webhooks(email.server, await email.server.api(service as Service));
  const { data } = await hooks.api.send('{__type(name:"WebhookEvent"){enumValues{name}}}');
  const names: string[] = data.__type.enumValues.map(({ name }: { name: string }) => name);
  const { webhook } = await hooks.create({ url: 'poll:', events: names });
  await MAKERS[service]!(hooks.api);
  const wireType = (name: string) => name.toLowerCase().replace('_', '.');
  const types = new Set(names.map(wireType));
  const events = eventsOf(await hooks.until(webhook.id, (all) => new Set(all.map(({ type }) => type)).size === types.size));
  const steady = steadier();
  return names.map((name) => {
    const event = events.find(({ type }) => type === wireType(name));
    return `## ${name}\n\n\`\`\`json\n${steady(JSON.stringify(event, null, 2))}\n\`\`\`\n`;
  });
}

/** Replaces ids, times and keys, which differ in each run. An id that comes again stays the same. */
function steadier(): (text: string) => string {
  const ids = new Map<string, string>();
  const steadyId = (id: string) => {
    if (!ids.has(id)) ids.set(id, `019bc0de-1234-7000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(id)!;
  };
  return (text) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, steadyId)
      .replaceAll(/p=MIIB[\w+/=]+/g, 'p=MIIB…')
      .replaceAll(/p=[\w+/]{43}=/g, 'p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')
      .replaceAll(/platform-services=[a-z2-7]{32}/g, 'platform-services=mfrggzdfmztwq2lknnwg23tpoa4tsmbq')
      .replaceAll(/\bps[a-z2-7]{8}-(rsa|ed25519)/g, 'psmfrggzdf-$1')
      .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-15T12:00:00.000Z');
}

it('docs/event-examples.md shows each event as it comes', async () => {
  const examples = await Promise.all(Object.keys(MAKERS).map(examplesOf));
  const options = await resolveConfig(PAGE);
  const page = await format([INTRODUCTION, ...examples.flat()].join('\n'), { ...options, parser: 'markdown' });
  if (process.env.WRITE_EXAMPLES) await writeFile(PAGE, page);
  expect(await readFile(PAGE, 'utf8')).toBe(page);
});
