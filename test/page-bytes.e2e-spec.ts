import type { Caller } from '../src/common/auth/caller.js';
import { AppError } from '../src/common/base/app-error.js';
// Past the API: an operation with a small budget, and an outbox at rest.
import { OutboxJob } from '../src/modules/email/outbox/outbox.job.js';
import { FilesService } from '../src/modules/file-management/files/files.service.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';
import { Email } from './support/email.js';
import { CREATE_CSS, MIB, Rendering } from './support/rendering.js';
import { TestServer } from './support/server.js';
import { inSeconds } from './support/websockets.js';

const PAGE_BYTES = 8 * MIB;
/** Size of ids, names and times, and the form of an answer. */
const BESIDE_BYTES = 256 * 1024;

/** Iterates over the pages of a list like a caller; none may exceed the maximum size. */
async function walk(api: Api, list: string, fields: string, limit: number | null = 1_000): Promise<any[][]> {
  const query = `query($nextToken:String,$limit:Int){page:${list}(nextToken:$nextToken,limit:$limit){items{${fields}} nextToken}}`;
  const pages: any[][] = [];
  for (let nextToken: string | null = null; ;) {
    const { page }: any = await api.ask(query, { nextToken, limit });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(PAGE_BYTES + BESIDE_BYTES);
    expect(page.items.length).toBeGreaterThan(0);
    pages.push(page.items);
    if (page.nextToken === null) return pages;
    nextToken = page.nextToken;
  }
}

/** Sends one mutation that does the same many times. */
const often = (count: number, variables: string, field: (index: number) => string): string =>
  `mutation(${variables}){${Array.from({ length: count }, (_, index) => `m${index}:${field(index)}`).join(' ')}}`;

/** Returns the most that one statement loaded meanwhile. */
async function largestRead(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  const database = allRowsOf('no API shows how much a statement loads', server) as any;
  const query = database.$query;
  let largest = 0;
  database.$query = async (...args: unknown[]) => {
    const rows: unknown[][] = await query.apply(database, args);
    largest = Math.max(
      largest,
      Buffer.byteLength(
        rows
          .flat()
          .filter((cell) => typeof cell === 'string')
          .join(''),
      ),
    );
    return rows;
  };
  await work().finally(() => (database.$query = query));
  return largest;
}

const idsOf = (pages: any[][]): string[] => pages.flat().map(({ id }) => id);
const sizesOf = (pages: any[][]): number[] => pages.map(({ length }) => length);

describe('a page ends when its rows reach 8 MiB, and iteration returns each row once,', () => {
  let at: Rendering;
  let log: DocumentLog;
  let messages: Api;
  let files: Api;
  beforeAll(async () => {
    at = await Rendering.start();
    log = new (DocumentLog as any)(at.server, await at.server.api('document-log'));
    messages = await at.server.api('websockets-manager');
    files = await at.server.api('file-management');
  });
  afterAll(() => at.stop());

  describe('of stylesheets of 1 MiB', () => {
    let own: Rendering;
    let ids: string[];
    beforeAll(async () => {
      own = await at.another();
      const made = await own.api.ask(
        often(30, '$text:String', (index) => `createCss(input:{name:"${index}",text:$text}){id}`),
        { text: 'x'.repeat(MIB - 100) },
      );
      ids = Object.values<any>(made)
        .map(({ id }) => id)
        .toSorted();
    });

    it.each([1_000, null, 5])('with limit %s', async (limit) => {
      let pages: any[][] = [];
      const largest = await largestRead(own.server, async () => (pages = await walk(own.api, 'css', 'id text', limit)));
      expect(idsOf(pages)).toEqual(ids);
      expect(sizesOf(pages)).toEqual(limit === 5 ? Array.from({ length: 6 }, () => 5) : [8, 8, 8, 6]);
      expect(largest).toBeLessThanOrEqual(PAGE_BYTES + BESIDE_BYTES);
    });
  });

  it('for templates with a large parent, which counts with each and is loaded once', async () => {
    const own = await at.another();
    const text = 'y'.repeat(MIB - 100);
    const { createCss } = await own.api.ask(CREATE_CSS, { input: { name: 'parent', text } });
    const template = (index: number) =>
      `createTemplate(input:{name:"${index}",type:document,body:"b",contentType:html,parentCssId:$id}){id}`;
    const made = await own.api.ask(often(20, '$id:ID', template), { id: createCss.id });
    const pages = await walk(own.api, 'templates', 'id parentCss{id text}');
    expect(idsOf(pages)).toEqual(Object.values<any>(made).map(({ id }) => id).toSorted()); // prettier-ignore
    expect(sizesOf(pages)).toEqual([8, 8, 4]);
    for (const { parentCss } of pages.flat()) expect(parentCss.text === text && parentCss.id === createCss.id).toBe(true);
  });

  it('for a template that alone is larger', async () => {
    const own = await at.another();
    const text = '語'.repeat(MIB);
    const css = await own.createCss({ text });
    const given = { body: text, css: text, parentCssId: css.id };
    const first = await own.create(given);
    const second = await own.create(given);
    const query = `query($nextToken:String){templates(nextToken:$nextToken){items{id} nextToken}}`;
    const one = (await own.api.ask(query)).templates;
    const two = (await own.api.ask(query, { nextToken: one.nextToken })).templates;
    expect([one.items, two.items, two.nextToken]).toEqual([[{ id: first.id }], [{ id: second.id }], null]);
  });

  it('for messages of 64 KiB, to recipients and to all, also of one recipient', async () => {
    const message = 'm'.repeat(64 * 1024);
    const recipients = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const push = `mutation($input:MessageInput!){pushMessage(input:$input){results{item{id}}}}`;
    const { pushMessage } = await messages.ask(push, { input: { recipients, message, expiresAt: inSeconds(600) } });
    const toAll = [];
    for (let half = 0; half < 2; half++) {
      const made = await messages.ask(
        often(75, '$m:String!', () => 'pushGlobalMessage(input:{message:$m}){id}'),
        { m: message },
      );
      toAll.push(...Object.values<any>(made));
    }
    await messages.ask(
      often(100, '$m:String!,$at:DateTime', () => 'pushMessage(input:{recipients:["r0"],message:$m,expiresAt:$at}){item{id}}'),
      { m: message, at: inSeconds(600) },
    );
    const pages = await walk(messages, 'messages', 'id recipient message');
    expect(new Set(idsOf(pages)).size).toBe(300);
    expect(idsOf(pages)).toHaveLength(300);
    expect(idsOf(pages)).toEqual(expect.arrayContaining(pushMessage.results.map(({ item }: any) => item.id)));
    expect(sizesOf(pages)).toEqual([127, 127, 46]);
    const ofOne = await walk(messages, 'messages', 'id recipient', 150).then((all) => all.flat().filter(({ recipient }) => recipient === 'r0')); // prettier-ignore
    const filtered = await messages.ask('{messages(filter:{recipient:"r0"},limit:1000){items{id message} nextToken}}');
    expect(filtered.messages.items.map(({ id }: any) => id)).toEqual(ofOne.map(({ id }) => id));
    const globals = await walk(messages, 'globalMessages', 'id message');
    expect(new Set(idsOf(globals))).toEqual(new Set(toAll.map(({ id }) => id)));
    expect(sizesOf(globals)).toEqual([128, 22]);
  });

  it('for log records with large values, and an export contains all of them', async () => {
    const value = 'v'.repeat(64 * 1024);
    const record = (index: number) =>
      `createLog(input:{documentId:"d",documentType:"t",dateTime:"2024-01-01",attribute:{id:"${index}"},
        attributeNewValue:{raw:$v,display:$v},attributeOldValue:{raw:$v,display:$v}}){itemId}`;
    const made = await log.api.ask(often(50, '$v:String', record), { v: value });
    const ids = Object.values<any>(made).map(({ itemId }) => itemId);
    const values = 'attributeNewValue{raw display} attributeOldValue{raw display}';
    let pages: any[][] = [];
    const largest = await largestRead(at.server, async () => {
      pages = await walk(log.api, 'logs', `id ${values}`);
      const lines = (await (await log.export('')).text()).trim().split('\n');
      expect(new Set(lines.map((line) => JSON.parse(line).id))).toEqual(new Set(ids));
      const state = await log.state({ documentId: 'd', documentType: 't' });
      expect(new Set(state.map(({ logId }: any) => logId))).toEqual(new Set(ids));
    });
    expect(new Set(idsOf(pages))).toEqual(new Set(ids));
    expect(sizesOf(pages)).toEqual([31, 19]);
    expect(largest).toBeLessThanOrEqual(PAGE_BYTES + BESIDE_BYTES);
  });

  it('for files with the largest attributes; those of a reference are read in steps, each reserved', async () => {
    const attributes = Array.from({ length: 100 }, (_, index) => ({
      name: `${index}`.padEnd(1_024, 'n'),
      value: 'v'.repeat(4_096),
    }));
    const made = await files.ask(
      often(30, '$input:CreateFileInput', () => 'createFile(input:$input){id}'),
      {
        input: { attributes, externalReference: 'large', name: 'large' },
      },
    );
    const ids = new Set(Object.values<any>(made).map(({ id }) => id));
    let pages: any[][] = [];
    let ofReference: any[] = [];
    const largest = await largestRead(at.server, async () => {
      pages = await walk(files, 'files', 'id attributes{name value}');
      const query = '{filesWithExternalReference(externalReference:"large"){id attributes{name}}}';
      ofReference = (await files.ask(query)).filesWithExternalReference;
    });
    expect(new Set(idsOf(pages))).toEqual(ids);
    expect(sizesOf(pages)).toEqual([16, 14]);
    expect(ofReference.map(({ id }) => id)).toEqual(idsOf(pages));
    expect(ofReference.every((file) => file.attributes.length === 100)).toBe(true);
    expect(largest).toBeLessThanOrEqual(PAGE_BYTES + BESIDE_BYTES);
    const prefixed = await files.ask('{files(filter:{namePrefix:"lar"},limit:1000){items{id} nextToken}}');
    expect(prefixed.files.items.map(({ id }: any) => id)).toEqual(idsOf(pages).slice(0, 16));

    // Uses an operation that may hold two pages, but not all.
    const tenantId = await at.server.tenantIdOf(files);
    const reserved: number[] = [];
    const reserve = async (bytes: number) => {
      reserved.push(bytes);
      if (reserved.length === 2) throw new AppError('PAYLOAD_TOO_LARGE', 'the operation would hold more than 64 MiB');
    };
    const service = at.server.app.get(FilesService, { strict: false });
    const caller = { tenantId, budget: { reserve } } as unknown as Caller;
    const refused = service.withReference(caller, 'large', null, null);
    await expect(refused).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(reserved.map((bytes) => Math.round(bytes / 515_000))).toEqual([16, 14]);
  });
});

it('a page of mails ends when they reach 8 MiB with their recipients', async () => {
  const email = await Email.start();
  // They are listed here: sending 3,000 copies takes long, and failing would add an error to each.
  email.server.app.get(OutboxJob, { strict: false })['backOffUntilMs'] = Infinity;
  const name = '語'.repeat(1_024);
  const to = Array.from({ length: 50 }, (_, index) => ({ address: `p${index}@example.com`, name }));
  const send = often(10, '$to:[EmailAddressInput!]!', () => 'sendMessage(input:{to:$to,subject:"s",textBody:"t"}){id}');
  const made: any[] = [];
  while (made.length < 60) made.push(...Object.values(await email.api.ask(send, { to })));
  const pages = await walk(email.api, 'messages', 'id to{address name}');
  expect(new Set(idsOf(pages))).toEqual(new Set(made.map(({ id }) => id)));
  expect(sizesOf(pages)).toEqual([54, 6]);
  expect(pages.flat().every((message) => message.to.length === 50)).toBe(true);
  await email.stop();
});

it('edits of a record are at most 1,000, and all of them are shown and exported', async () => {
  const log = await DocumentLog.start();
  const { id } = await log.create();
  const other = await log.create();
  await log.update(other.id, { comment: 'once' });
  const edit = (index: number) => `updateLog(input:{id:$id,comment:"${index}",custom1:"${index}",custom2:"${index}"}){id}`;
  for (let step = 0; step < 333; step += 37) {
    const fields = Array.from({ length: 37 }, (_, index) => `m${index}:${edit(step + index)}`);
    await log.api.ask(`mutation($id:ID!){${fields.join(' ')}}`, { id });
  }
  await log.update(id, { comment: 'last' });
  const refused = await log.api.refusal('mutation($id:ID!){updateLog(input:{id:$id,comment:"more"}){id}}', { id });
  expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', message: expect.stringContaining('1000 edits') });
  const { items } = await log.page();
  const shown = items.find((item: any) => item.id === id).edits;
  expect(shown).toHaveLength(1_000);
  expect(shown.filter(({ field }: any) => field === 'comment').map(({ newValue }: any) => newValue)).toEqual([
    ...Array.from({ length: 333 }, (_, index) => `${index}`),
    'last',
  ]);
  expect(items.find((item: any) => item.id === other.id).edits).toMatchObject([{ newValue: 'once' }]);
  const lines = (await (await log.export('')).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).edits.length).toSorted()).toEqual([1, 1_000].toSorted());
  await log.stop();
});
