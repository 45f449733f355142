import { ServedApi } from '../webhooks/served-api.js';
import { CUSTOMERS, DAY_MS, GONE, mailOf, orderOf, PEOPLE } from './company.js';
import { type DemoFile, demoFiles } from './demo-files.js';
import { CONFIRMATION_DE, BRAND, CONFIRMATION, FOOTER, FRAME, INVOICE, paramsOf, REMINDER } from './demo-texts.js';

const LOGGED_DAYS = 30;
const STEPS = ['created', 'paid', 'packed', 'shipped'] as const;

/** Fills the tenant of a key through the public APIs. Reports each kind of data once it is created. */
export async function fillDemo(api: ServedApi, tell: (part: string) => void): Promise<void> {
  const now = Date.now();
  const files = demoFiles();
  for (const file of files) await storeFile(api, file);
  tell(`${files.length} files`);
  await writeTemplates(api);
  tell('templates with a layout, a partial and a translation');
  await sendMails(api, now);
  tell('emails: sent, scheduled, and one to a suppressed address');
  await pushMessages(api, now);
  tell('queued messages');
  tell(`${await writeLog(api, now)} records of ${LOGGED_DAYS} days`);
}

async function storeFile(api: ServedApi, { content, ...input }: DemoFile): Promise<void> {
  const query = 'mutation($input: CreateFileInput) { createFile(input: $input) { uploadUrl } }';
  const { createFile } = await api.ask<{ createFile: { uploadUrl: string } }>('file-management', query, { input });
  const headers = { 'content-type': input.contentType };
  const { ok, status } = await fetch(createFile.uploadUrl, { method: 'PUT', headers, body: content });
  if (!ok) throw new Error(`the upload of ${input.name} failed with status ${status}`);
}

async function writeTemplates(api: ServedApi): Promise<void> {
  const create = async (what: 'Css' | 'Partial' | 'Template', input: object): Promise<string> => {
    const query = `mutation($input: Create${what}Input!) { made: create${what}(input: $input) { id } }`;
    const { made } = await api.ask<{ made: { id: string } }>('document-rendering', query, {
      input: { author: PEOPLE[3], ...input },
    });
    return made.id;
  };
  const parentCssId = await create('Css', BRAND);
  await create('Partial', FOOTER);
  const layoutId = await create('Template', { ...FRAME, parentCssId });
  const id = await create('Template', { ...CONFIRMATION, layoutId, parentCssId, sampleParams: paramsOf(1042) });
  const date = new Date(Date.now() + 5 * DAY_MS).toISOString();
  await create('Template', {
    ...REMINDER,
    layoutId,
    parentCssId,
    sampleParams: JSON.stringify({ name: 'Ann', date }, undefined, 2),
  });
  await create('Template', { ...INVOICE, parentCssId, sampleParams: paramsOf(1042) });
  const translate = `mutation($id: ID!, $input: TemplateTranslationInput!) {
    putTemplateTranslation(templateId: $id, locale: "de", input: $input) { locale }
  }`;
  await api.ask('document-rendering', translate, { id, input: CONFIRMATION_DE });
}

async function sendMails(api: ServedApi, now: number): Promise<void> {
  const send = (input: object) =>
    api.ask('email', 'mutation($input: SendMessageInput!) { sendMessage(input: $input) { id } }', { input });
  for (let number = 1040; number < 1050; number++) {
    const { customer } = orderOf(number);
    const to = [{ address: customer.address, name: customer.name }];
    const tags = [{ name: 'kind', value: 'order' }];
    await send({ to, templateName: CONFIRMATION.name, params: paramsOf(number), locale: customer.locale, tags });
  }
  const suppress = 'mutation($input: [CreateSuppressionInput!]!) { createSuppressions(input: $input) { error { message } } }';
  await api.ask('email', suppress, { input: [{ address: GONE.address, reason: 'HARD_BOUNCE' }] });
  const invitation = { templateName: REMINDER.name, tags: [{ name: 'kind', value: 'tasting' }] };
  const date = new Date(now + 9 * DAY_MS).toISOString();
  await send({ ...invitation, to: [GONE], params: JSON.stringify({ name: GONE.name, date }) });
  const later = { ...invitation, sendAt: new Date(now + 2 * DAY_MS).toISOString() };
  for (const { name, address } of CUSTOMERS)
    await send({ ...later, to: [{ name, address }], params: JSON.stringify({ name, date }) });
}

async function pushMessages(api: ServedApi, now: number): Promise<void> {
  const expiresAt = new Date(now + 7 * DAY_MS).toISOString();
  const push = (input: object) =>
    api.ask(
      'websockets-manager',
      'mutation($input: MessageInput!) { pushMessage(input: $input) { results { error { message } } } }',
      {
        input: { expiresAt, ...input },
      },
    );
  for (let number = 1046; number < 1050; number++) {
    const { id, customer } = orderOf(number);
    await push({
      recipients: PEOPLE.map((person) => mailOf(person.id)),
      topic: 'orders',
      message: `Order ${id} of ${customer.name} is paid`,
    });
  }
  const all = 'mutation($input: GlobalMessageInput!) { pushGlobalMessage(input: $input) { id } }';
  const message = 'The roaster is cleaned on Thursday from 14:00';
  await api.ask('websockets-manager', all, { input: { expiresAt, topic: 'house', message } });
}

/** Logs the history of a month of orders, each step by another author. Returns the number of records. */
async function writeLog(api: ServedApi, now: number): Promise<number> {
  const input = Array.from({ length: 60 }, (_, order) =>
    STEPS.map((step, at) => {
      const { id, customer, total } = orderOf(1000 + order);
      const before = STEPS[at - 1];
      const dateTime = new Date(now - ((59 - order) / 2) * DAY_MS - (STEPS.length - at) * 97 * 60_000).toISOString();
      return {
        dateTime,
        documentType: 'order',
        documentId: id,
        action: at === 0 ? 'CREATE' : 'UPDATE',
        attribute: { id: 'status', name: 'Status' },
        ...(before && { attributeOldValue: { raw: before } }),
        attributeNewValue: { raw: step },
        author: PEOPLE[(order + at) % PEOPLE.length],
        comment: at === 0 ? `${customer.name}, ${total.toFixed(2)} EUR` : null,
      };
    }),
  ).flat();
  const query = 'mutation($input: [CreateLogInput!]!) { createLogBatch(input: $input) { results { error { message } } } }';
  const { createLogBatch } = await api.ask<{ createLogBatch: { results: { error: { message: string } | null }[] } }>(
    'document-log',
    query,
    { input },
  );
  const refused = createLogBatch.results.find(({ error }) => error);
  if (refused) throw new Error(`a record was refused: ${refused.error!.message}`);
  return input.length;
}
