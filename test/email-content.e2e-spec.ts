// @nightly postgresql: no SQL of its own
import { randomUUID } from 'node:crypto';
import { TenantData } from '../src/common/tenants/tenant-data.js';
// Past the API: an operation that ends while its mail is assembled.
import { CallSize } from '../src/modules/email/acceptance/message-batch.js';
import { MessageContentService } from '../src/modules/email/acceptance/message-content.service.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { MIB } from './support/rendering.js';

const CONTENT = '{html text attachments{name contentType size fileId}}';
const LIST = `query($filter:EmailMessagesFilter,$limit:Int,$nextToken:String){messages(filter:$filter,limit:$limit,nextToken:$nextToken){items{id content${CONTENT}} nextToken}}`;
const NOTHING = { html: null, text: null, attachments: null, headers: null };

describe('the content of a message', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const database = () => allRowsOf('no API shows what is kept of a mail that was finished or erased', email.server);
  const contentOf = async (id: string, by = email) => (await by.api.ask(LIST, { filter: { id } })).messages.items[0].content;
  /** A message that is refused for now until the test ends that, so that it waits between attempts. */
  const waiting = async (input: object = {}, by = email): Promise<{ id: string; to: string }> => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
    const id = await by.send({ to: { address: to }, ...input });
    await by.tried(id);
    return { id, to };
  };
  const deliver = async ({ id, to }: { id: string; to: string }, by = email): Promise<void> => {
    email.mail.treatments.delete(to);
    await by.passTime();
    await by.finished(id);
  };
  const erase = async (emailAddress: string, by = email) => {
    const tenantId = await by.server.tenantIdOf(by.api);
    const mails = email.server.app.get(TenantData, { strict: false }).traces.find(({ kind }) => kind === 'mails')!;
    return mails.erase(tenantId, { emailAddress, authorId: null, recipient: null });
  };

  it('is the same while it is queued, once it is sent, and once it failed, including attachments deleted since', async () => {
    const first = await email.file('one', { name: 'a.txt', contentType: 'text/plain' });
    const second = await email.file('longer', { name: 'b', contentType: 'application/pdf' });
    const attachments = [
      { name: 'Zürich "2".pdf', fileId: second },
      { name: 'one.txt', fileId: first },
    ];
    const [html, text] = ['<p>\u{1F600} "quoted" \\ {{ not a template }}</p>', 'plain\n\u2028text'];
    const expected = {
      html,
      text,
      attachments: [
        { name: 'Zürich "2".pdf', contentType: 'application/pdf', size: 6, fileId: second },
        { name: 'one.txt', contentType: 'text/plain', size: 3, fileId: first },
      ],
    };
    const sent = await waiting({ htmlBody: html, textBody: text, attachments });
    expect(await contentOf(sent.id)).toEqual(expected);
    const files = await email.server.api('file-management', email.api.key);
    await files.ask(`mutation{deleteFile(id:"${second}"){id}}`);
    expect(await contentOf(sent.id)).toEqual(expected);
    await deliver(sent);
    expect(await contentOf(sent.id)).toEqual(expected);
    const to = someone();
    email.mail.recipients.set(to, 550);
    const failed = await email.send({ to: { address: to }, htmlBody: html, textBody: null });
    expect(await email.finished(failed)).toMatchObject({ status: 'FAILED' });
    expect(await contentOf(failed)).toEqual({ html, text: null, attachments: [] });
    const empty = await email.send({ to: { address: someone() }, textBody: '' });
    await email.finished(empty);
    expect(await contentOf(empty)).toEqual({ html: null, text: '', attachments: [] });
  });

  it('is stored when some recipients received the message and others did not', async () => {
    const [good, bad] = [someone(), someone()];
    email.mail.recipients.set(bad, 550);
    const id = await email.send({ to: [{ address: good }, { address: bad }], textBody: 'for two' });
    expect(await email.finished(id)).toMatchObject({ status: 'SENT' });
    expect(await contentOf(id)).toEqual({ html: null, text: 'for two', attachments: [] });
  });

  it('is read only where it is requested, and never for another tenant', async () => {
    const id = await email.send({ to: { address: someone() }, textBody: 'private' });
    await email.finished(id);
    const statements: string[] = [];
    const own = database() as any;
    const query = own.$query;
    own.$query = (asked: { text: string }) => (statements.push(asked.text), query.call(own, asked));
    try {
      await email.find(id);
      expect(statements.filter((text) => text.includes('"EmailContent"'))).toEqual([]);
      await email.api.ask(`query($id:ID!){messages(filter:{id:$id}){items{a:content{html}b:content{text}}}}`, { id });
      expect(statements.filter((text) => text.includes('"EmailContent"'))).toHaveLength(2); // the sizes, then the contents
    } finally {
      own.$query = query;
    }
    const other = await email.another();
    expect((await other.api.ask(LIST, { filter: { id } })).messages.items).toEqual([]);
  });

  it('of many large messages takes several reads of up to 8 MiB, and over 64 MiB per operation is refused before it is read', async () => {
    const own = await email.another();
    const htmlBody = 'x'.repeat(3 * MIB);
    const ids: string[] = [];
    for (let n = 0; n < 23; n++) ids.push(await own.send({ to: { address: someone() }, htmlBody, textBody: `${n}` }));
    for (const id of ids) await own.finished(id);
    const reads: number[] = [];
    const watched = database() as any;
    const query = watched.$query;
    watched.$query = async (...args: unknown[]) => {
      const rows: unknown[][] = await query.apply(watched, args);
      reads.push(rows.flat().reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0));
      return rows;
    };
    try {
      const { items, nextToken } = (await own.api.ask(LIST, { limit: 5 })).messages;
      expect(items.map(({ content }: any) => content.text)).toEqual(['22', '21', '20', '19', '18']);
      expect(items.every(({ content }: any) => content.html === htmlBody)).toBe(true);
      expect(nextToken).not.toBeNull();
      expect(Math.max(...reads)).toBeLessThan(8 * MIB);
      reads.length = 0;
      const { errors } = await own.api.send(LIST, { limit: 23 });
      expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['PAYLOAD_TOO_LARGE']);
      expect(Math.max(...reads)).toBeLessThan(MIB);
    } finally {
      watched.$query = query;
    }
  });

  it('is erased with one recipient of a message that others received', async () => {
    const [ann, bob] = [someone(), someone()];
    const fileId = await email.file('x', { name: 'f' });
    const attachments = [{ name: 'for Ann', fileId }];
    const id = await email.send({ to: [{ address: ann }, { address: bob }], textBody: 'Dear Ann', attachments });
    await email.finished(id);
    expect(await contentOf(id)).toMatchObject({ text: 'Dear Ann' });
    expect(await erase(ann)).toEqual({ erased: 1, more: false });
    expect(await contentOf(id)).toBeNull();
    expect(await database().emailContent.findMany({ where: { emailId: id } })).toEqual([{ emailId: id, ...NOTHING }]);
    await erase(bob);
    expect(await database().emailContent.count({ where: { emailId: id } })).toBe(0);
  });

  it('is still sent to others after the erasure of a recipient, and is not stored after that', async () => {
    const own = await email.another();
    const ann = someone();
    const fileId = await own.file('x', { name: 'f' });
    const sent = await waiting({ cc: { address: ann }, textBody: 'Dear Ann', attachments: [{ name: 'for Ann', fileId }] }, own);
    expect(await erase(ann, own)).toEqual({ erased: 1, more: false });
    expect(await contentOf(sent.id, own)).toBeNull();
    await deliver(sent, own);
    const [mail] = await email.mail.to(sent.to);
    expect(mail!.parsed.text).toContain('Dear Ann');
    expect(mail!.parsed.attachments).toHaveLength(1);
    expect(await contentOf(sent.id, own)).toBeNull();
    expect(await database().emailContent.findMany({ where: { emailId: sent.id } })).toEqual([{ emailId: sent.id, ...NOTHING }]);
    expect(await database().emailAttachment.count({ where: { emailId: sent.id } })).toBe(0);
  });

  it('of a mail with a verification link is not stored', async () => {
    const address = someone();
    await email.api.ask('mutation($a:String!){verifyEmailIdentity(address:$a){address}}', { a: address });
    await email.mail.to(address);
    const { mailId } = await database().emailIdentity.findFirstOrThrow({ where: { address } });
    for (;;) {
      const mail = await database().email.findUniqueOrThrow({ where: { id: mailId! } });
      if (mail.status === 'SENT') break;
    }
    expect(await database().emailContent.count({ where: { emailId: mailId! } })).toBe(0);
  });

  it('is not assembled further once its operation has ended', async () => {
    const over = {
      reserve: async () => undefined,
      throwIfLeft: () => undefined,
      onOver: (stop: () => void) => (stop(), () => undefined),
    };
    const caller = { tenantId: randomUUID(), keyId: '', keyPrefix: '', scope: new Set<string>(), budget: over };
    const message = { to: [], subject: 's', htmlBody: '<p>a</p>'.repeat(100_000) };
    const ofCall = { unsubscribeUrl: null, size: new CallSize() };
    const made = email.server.app.get(MessageContentService, { strict: false }).contentOf(caller, message, ofCall);
    await expect(made).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
