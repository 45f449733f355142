// @nightly postgresql: no SQL of its own
import { CHROMIUM, describeWithChromium } from './support/chromium.js';
import { Email, someone } from './support/email.js';
import { readMail } from './support/mime.js';

const TEMPLATE = {
  type: 'document',
  contentType: 'html',
  body: '<h1>{{ number }}</h1><p style="page-break-before:always">{{ gone }}',
};
const CREATE = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
const SEND = 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}';
const CONTENT = 'query($id:ID!){messages(filter:{id:$id}){items{content{attachments{name contentType size fileId}}}}}';
const bill = (more: object = {}) => ({ name: 'bill.pdf', templateName: 'bill', params: '{"number":"17"}', ...more });
const message = (to: string, more: object = {}) => ({
  to: { address: to },
  subject: 's',
  textBody: 't',
  renderedAttachments: [bill()],
  ...more,
});

async function start(settings: Record<string, string>): Promise<Email> {
  const email = await Email.start(settings);
  const rendering = await email.server.api('document-rendering', email.api.key);
  await rendering.ask(CREATE, { input: { name: 'bill', ...TEMPLATE } });
  return email;
}

it('sendMessage refuses a rendered attachment on a server without a browser, and stores nothing', async () => {
  const email = await start({});
  expect(await email.api.refusal(SEND, { input: message(someone()) })).toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringContaining('CHROMIUM_PATH'),
  });
  expect((await email.api.ask('{messages{items{id}}}')).messages.items).toEqual([]);
  await email.stop();
});

describeWithChromium('sendMessage with renderedAttachments', () => {
  let email: Email;
  beforeAll(async () => {
    email = await start({ CHROMIUM_PATH: CHROMIUM });
  });
  afterAll(() => email.stop());

  const printed = async () => {
    const text = await (await fetch(`${email.server.address}/metrics`)).text();
    return Number(/^pdf_jobs_total\{outcome="ok"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  it('sends the PDF with the other attachments, as a file that expires, and prints none for a repeated key', async () => {
    const to = someone();
    const fileId = await email.file('a,b', { contentType: 'text/csv' });
    const more = { attachments: [{ name: 'a.csv', fileId }], idempotencyKey: 'bill-17' };
    const pdf = { paper: 'A5', landscape: true };
    const input = message(to, { ...more, renderedAttachments: [bill({ pdf, locale: 'de' })] });
    const before = await printed();
    const { id } = (await email.api.ask(SEND, { input })).sendMessage;
    expect((await email.api.ask(SEND, { input })).sendMessage).toEqual({ id });
    expect(await printed()).toBe(before + 1);
    const mail = readMail((await email.mail.to(to))[0]!.bytes);
    expect(mail.parts.map(({ type }) => type)).toEqual(['text/plain', 'text/csv', 'application/pdf']);
    const [, , sent] = mail.parts;
    expect(sent!.content.toString('latin1')).toMatch(/^%PDF-/);
    const [, shown] = (await email.api.ask(CONTENT, { id })).messages.items[0].content.attachments;
    expect(shown).toMatchObject({ name: 'bill.pdf', contentType: 'application/pdf', size: sent!.content.length });
    const files = await email.server.api('file-management', email.api.key);
    const { file } = await files.ask('query($id:ID!){file(ID:$id){name status expiresAt}}', { id: shown.fileId });
    expect(file).toMatchObject({ name: 'bill.pdf', status: 'done' });
    expect(Date.parse(file.expiresAt)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  });

  it('refuses what renderFile refuses, naming the field of the message, with nothing stored', async () => {
    const count = async () => (await email.api.ask('{messages(limit:100){items{id}}}')).messages.items.length;
    const before = await count();
    const faults: [object, object][] = [
      [bill({ templateName: 'unknown' }), { code: 'NOT_FOUND', field: 'input.renderedAttachments.1.templateName' }],
      [
        bill({ pdf: { headerTemplateName: 'unknown' } }),
        { code: 'NOT_FOUND', field: 'input.renderedAttachments.1.pdf.headerTemplateName' },
      ],
      [bill({ version: 9 }), { code: 'NOT_FOUND', field: 'input.renderedAttachments.1.version' }],
      [bill({ strict: true }), { code: 'BAD_USER_INPUT', field: 'input.renderedAttachments.1.params' }],
      [bill({ pdf: { marginsMm: [1, 2] } }), { code: 'BAD_USER_INPUT', field: 'input.renderedAttachments.1.pdf.marginsMm' }],
      [bill({ name: '../x' }), { code: 'BAD_USER_INPUT', field: 'input.renderedAttachments.1.name' }],
    ];
    for (const [wrong, error] of faults) {
      const input = message(someone(), { renderedAttachments: [bill(), wrong] });
      expect(await email.api.refusal(SEND, { input })).toMatchObject(error);
    }
    const many = message(someone(), { renderedAttachments: Array.from({ length: 6 }, () => bill()) });
    expect(await email.api.refusal(SEND, { input: many })).toMatchObject({ field: 'input.renderedAttachments' });
    expect(await count()).toBe(before);
  });

  const fileCount = async () => {
    const files = await email.server.api('file-management', email.api.key);
    return (await files.ask('{storageUsed{fileCount}}')).storageUsed.fileCount as number;
  };

  it('leaves no file of a refused message, and prints nothing before the rest of it was checked', async () => {
    const before = [await fileCount(), await printed()];
    const attachments = [{ name: 'a', fileId: '01900000-0000-7000-8000-000000000000' }];
    const unknown = message(someone(), { attachments });
    expect(await email.api.refusal(SEND, { input: unknown })).toMatchObject({ field: 'input.attachments.0.fileId' });
    expect([await fileCount(), await printed()]).toEqual(before);
    for (const wrong of [bill({ templateName: 'unknown' }), bill({ strict: true })]) {
      const input = message(someone(), { renderedAttachments: [bill(), wrong] });
      expect(await email.api.refusal(SEND, { input })).toMatchObject({
        field: expect.stringMatching(/^input.renderedAttachments.1/),
      });
      expect(await fileCount()).toBe(before[0]);
    }
  });

  it('creates one mail and one PDF for three concurrent calls with one key, and frees the key after a refusal', async () => {
    const input = message(someone(), { idempotencyKey: 'three at once' });
    const wrong = { ...input, renderedAttachments: [bill(), bill({ templateName: 'unknown' })] };
    expect(await email.api.refusal(SEND, { input: wrong })).toMatchObject({ code: 'NOT_FOUND' });
    const before = [await fileCount(), await printed()] as const;
    const answers = await Promise.all([1, 2, 3].map(() => email.api.ask(SEND, { input })));
    expect(new Set(answers.map(({ sendMessage }) => sendMessage.id)).size).toBe(1);
    expect([await fileCount(), await printed()]).toEqual([before[0] + 1, before[1] + 1]);
  });

  it('retains the PDF of a scheduled message, even after its file was deleted', async () => {
    const to = someone();
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = (await email.api.ask(SEND, { input: message(to, { sendAt }) })).sendMessage;
    const [{ fileId }] = (await email.api.ask(CONTENT, { id })).messages.items[0].content.attachments;
    const files = await email.server.api('file-management', email.api.key);
    await files.ask('mutation($id:String!){deleteFile(id:$id){id}}', { id: fileId });
    const again = new Date(Date.now() + 2_000).toISOString();
    await email.api.ask('mutation($id:ID!,$at:DateTime!){rescheduleMessage(id:$id,sendAt:$at){id}}', { id, at: again });
    const [mail] = await email.mail.to(to);
    expect(readMail(mail!.bytes).parts.at(-1)!.type).toBe('application/pdf');
  });
});
