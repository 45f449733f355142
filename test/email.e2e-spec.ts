import { allRowsOf, openPostgres } from './support/behind-the-api.js';
import { CREATE } from './support/rendering.js';
import { Email, FROM, SEND, someone } from './support/email.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
const MIB = 2 ** 20;

describe('email', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const template = async (given: object): Promise<string> => {
    const rendering = await email.server.api('document-rendering', email.api.key);
    const input = { name: `t-${someone()}`, type: 'email', contentType: 'html', body: 'b', ...given };
    return (await rendering.ask(CREATE, { input })).createTemplate.name;
  };

  describe('a message that is accepted', () => {
    it('arrives unchanged at to, cc and bcc, and no header names bcc', async () => {
      const [to, cc, bcc] = [someone(), someone(), someone()];
      const id = await email.send({
        to: [{ address: to, name: 'Ann "A," Ö' }],
        cc: [{ address: cc }],
        bcc: [{ address: bcc, name: 'Hidden' }],
        replyTo: { address: 'reply@example.org', name: 'Reply' },
        subject: 'Grüße — 你好',
        htmlBody: '<p>Hällo</p>',
        textBody: 'Hällo, plain',
      });
      const [mail] = await email.mail.to(to);
      expect(mail!.to.toSorted()).toEqual([to, cc, bcc].toSorted());
      expect(mail!.from).toBe(FROM);
      expect(mail!.parsed).toMatchObject({
        from: { address: FROM, name: 'Sender' },
        to: [{ address: to, name: 'Ann "A," Ö' }],
        cc: [{ address: cc }],
        replyTo: [{ address: 'reply@example.org', name: 'Reply' }],
        subject: 'Grüße — 你好',
        messageId: `<${id}@sender.example>`,
      });
      expect(mail!.parsed.html).toContain('<p>Hällo</p>');
      expect(mail!.parsed.text).toContain('Hällo, plain');
      expect(mail!.parsed.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
      expect(mail!.raw).not.toContain(bcc);
      expect(mail!.raw).not.toContain('Hidden');
      expect(await email.finished(id)).toEqual({
        id,
        from: { address: FROM, name: 'Sender' },
        to: [{ address: to, name: 'Ann "A," Ö' }],
        cc: [{ address: cc, name: null }],
        bcc: [{ address: bcc, name: 'Hidden' }],
        recipients: [
          { address: to, name: 'Ann "A," Ö', kind: 'TO', status: 'SENT', attempts: 1, lastError: null },
          { address: cc, name: null, kind: 'CC', status: 'SENT', attempts: 1, lastError: null },
          { address: bcc, name: 'Hidden', kind: 'BCC', status: 'SENT', attempts: 1, lastError: null },
        ],
        subject: 'Grüße — 你好',
        status: 'SENT',
        attempts: 1,
        lastError: null,
        createdAt: expect.stringMatching(/Z$/),
        sentAt: expect.stringMatching(/Z$/),
      });
    });

    it('has a plain part generated from its html, however long', async () => {
      const [small, large] = [someone(), someone()];
      const html = '<h1>Title</h1><p>See <a href="https://x.example/">here</a></p>';
      await email.send({ to: { address: small }, textBody: null, htmlBody: html });
      await email.send({ to: { address: large }, textBody: null, htmlBody: html + '<p>word</p>'.repeat(10_000) });
      for (const address of [small, large]) {
        expect((await email.mail.to(address))[0]!.parsed.text).toMatch(/^Title\s+See here \[https:\/\/x\.example\/\]/);
      }
    });

    it('is sent once to an address that is named twice, even with its domain in another case', async () => {
      const to = someone();
      const id = await email.send({ to: [{ address: to }, { address: to.replace('example', 'EXAMPLE') }], cc: { address: to } });
      await email.finished(id);
      expect(email.mail.mails.filter((mail) => mail.to.includes(to)).map((mail) => mail.to)).toEqual([[to]]);
      expect(await email.find(id)).toMatchObject({ to: [{ address: to }], cc: [] });
    });

    it('reaches internationalised domains by their ASCII names', async () => {
      await email.send({ to: { address: 'ann@bücher.example' } });
      // smtp-server shows ASCII domains in Unicode.
      expect((await email.mail.to('ann@bücher.example'))[0]!.raw).toContain('To: ann@xn--bcher-kva.example');
      expect((await email.page({ to: 'ann@BÜCHER.example' })).items).toHaveLength(1);
    });

    it('takes its name, but not its address, from the caller', async () => {
      const to = someone();
      await email.send({ to: { address: to }, from: { address: FROM.replace('sender', 'SENDER'), name: 'Shop' } });
      expect((await email.mail.to(to))[0]!.parsed.from).toEqual({ address: FROM, name: 'Shop' });
      const refusal = await email.refused({ from: { address: 'boss@elsewhere.example' } });
      expect(refusal).toMatchObject({ code: 'FAILED_PRECONDITION', field: 'input.from.address' });
      expect(refusal.message).toContain('boss@elsewhere.example');
    });
  });

  describe('a template', () => {
    it('is rendered to subject, html and text at acceptance', async () => {
      const to = someone();
      const templateName = await template({ subject: 'Hi {{ n }}', body: '<p>Dear {{ n }}</p>', css: 'p { color: red }' });
      const content = { subject: null, textBody: null, templateName, params: '{"n": "<Ann>"}' };
      const id = await email.send({ to: { address: to }, ...content });
      const { parsed } = (await email.mail.to(to))[0]!;
      expect(parsed.subject).toBe('Hi <Ann>');
      expect(parsed.html).toContain('style="color: red;">Dear &lt;Ann&gt;</p>');
      expect(parsed.text!.trim()).toBe('Dear <Ann>');
      expect(await email.find(id)).toMatchObject({ subject: 'Hi <Ann>' });
      const plain = await template({ contentType: 'plain', subject: 'S', body: 'only {{ n }}' });
      await email.send({ to: { address: to }, ...content, templateName: plain });
      const [, second] = await email.mail.to(to, 2);
      expect(second!.parsed.text!.trim()).toBe('only <Ann>');
      expect(second!.parsed.html).toBeUndefined();
    });

    it('is rendered in the language of its locale, and as an approved version', async () => {
      const to = someone();
      const templateName = await template({ contentType: 'plain', subject: 'Hello', body: 'one' });
      const rendering = await email.server.api('document-rendering', email.api.key);
      const { templates } = await rendering.ask(`{templates(filter:{name:"${templateName}"}){items{id}}}`);
      const [{ id }] = templates.items;
      await rendering.ask(
        `mutation{putTemplateTranslation(templateId:"${id}",locale:"de",input:{subject:"Hallo",body:"eins"}){locale}}`,
      );
      await rendering.ask(`mutation{updateTemplate(id:"${id}",input:{contentType:plain,body:"two"}){id}}`);
      const content = { to: { address: to }, subject: null, textBody: null, templateName };
      await email.send({ ...content, locale: 'de-AT' });
      await email.send({ ...content, templateVersion: 1 });
      const [first, second] = await email.mail.to(to, 2);
      expect([first, second].map(({ parsed }: any) => `${parsed.subject} ${parsed.text.trim()}`).sort()).toEqual([
        'Hallo eins',
        'Hello one',
      ]);
      const unknown = await email.refused({ ...content, templateVersion: 9 });
      expect(unknown).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('input.templateVersion') });
      expect(await email.refused({ templateVersion: 1 })).toMatchObject({ field: 'input.templateVersion' });
    });

    it('is rendered with the shared stylesheet that its version was approved with', async () => {
      const to = someone();
      const rendering = await email.server.api('document-rendering', email.api.key);
      const { createCss } = await rendering.ask('mutation{createCss(input:{name:"house",text:"p { color: red }"}){id}}');
      const templateName = await template({ subject: 'Hello', body: '<p>one</p>', parentCssId: createCss.id });
      await rendering.ask(`mutation{updateCss(id:"${createCss.id}",input:{text:"p { color: blue }"}){id}}`);
      await email.send({ to: { address: to }, subject: null, textBody: null, templateName, templateVersion: 1 });
      expect((await email.mail.to(to))[0]!.parsed.html).toContain('style="color: red;">one</p>');
    });

    it('splits no character in the stored subject, html and text', async () => {
      const to = someone();
      const templateName = await template({ subject: '{{ n | first }}', body: '<p>{{ n[0] }}{{ n | truncate(1) }}</p>' });
      const params = JSON.stringify({ n: '👋🏽 Ann' });
      await email.send({ to: { address: to }, subject: null, textBody: null, templateName, params });
      const { parsed } = (await email.mail.to(to))[0]!;
      expect(parsed).toMatchObject({ subject: '👋🏽', html: expect.stringContaining('<p>👋🏽👋🏽...</p>') });
      expect(parsed.text!.trim()).toBe('👋🏽👋🏽...');
      const wrong = { subject: null, textBody: null, templateName, params: '{"n":["\\ud83d"]}' };
      expect(await email.refused(wrong)).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.params',
        message: expect.stringContaining('n[0] must be well-formed'),
      });
    });

    it('rendered with strict sends no mail with missing or replaced values', async () => {
      for (const loop of ['', '{% for i in n %}{% endfor %}']) {
        const templateName = await template({ subject: 'S', body: `${loop}<a href="{{ url }}">{{ n }}</a>` });
        const to = someone();
        const by = (params: object) => ({
          to: { address: to },
          subject: null,
          textBody: null,
          templateName,
          params: JSON.stringify(params),
          strict: true,
        });
        const refused = { code: 'BAD_USER_INPUT', field: 'input.params' };
        expect(await email.refused(by({ url: '/' }))).toMatchObject({
          ...refused,
          message: expect.stringContaining('n is missing'),
        });
        expect(await email.refused(by({ n: [], url: 'data:x' }))).toMatchObject({
          ...refused,
          message: expect.stringContaining('url: the URL was replaced by "#"'),
        });
        expect((await email.page({ to })).items).toEqual([]);
        await email.send(by({ n: ['x'], url: '/' }));
        expect((await email.mail.to(to))[0]!.parsed.html).toContain('<a href="/">x</a>');
      }
      expect(await email.refused({ strict: true })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.strict' });
    });

    it('is refused with the name of the wrong field', async () => {
      const name = await template({ subject: 'S' });
      const document = await template({ type: 'document' });
      const long = await template({ subject: '{{ s }}' });
      const by = (given: object) => email.refused({ subject: null, textBody: null, templateName: name, ...given });
      expect(await by({ subject: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.subject' });
      expect(await by({ htmlBody: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.htmlBody' });
      expect(await by({ textBody: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.textBody' });
      expect(await by({ params: '[' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.params' });
      expect(await by({ templateName: document })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.templateName' });
      const params = JSON.stringify({ s: 'x'.repeat(999) });
      expect(await by({ templateName: long, params })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.templateName' });
      expect(await by({ templateName: 'none' })).toMatchObject({ code: 'NOT_FOUND' });
      expect(await email.refused({ params: '{}' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.params' });
      const other = await email.another();
      const foreign = { subject: null, textBody: null, templateName: name };
      expect(await other.refused(foreign)).toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  describe('invalid input', () => {
    const names = ['a\r\nBcc: x@y.z', 'a\nb', 'a\rb', 'a\u2028b', 'a\tb'];
    const faults: [given: object, field: string][] = [
      ...names.map((name): [object, string] => [{ subject: name }, 'input.subject']),
      ...names.map((name): [object, string] => [{ to: { address: 'a@b.example', name } }, 'input.to.0.name']),
      ...names.map((name): [object, string] => [{ to: { address: `${name}@b.example` } }, 'input.to.0.address']),
      [{ cc: { address: 'a@b.example\r\nX: y' } }, 'input.cc.0.address'],
      [{ bcc: { address: 'a@b.example', name: 'x\ny' } }, 'input.bcc.0.name'],
      [{ from: { address: FROM, name: 'support@bank.example' } }, 'input.from.name'],
      [{ from: { address: FROM, name: 'Bank <support＠bank.example>' } }, 'input.from.name'],
      [{ from: { address: FROM, name: 'support\u200b@\u200bbank.example' } }, 'input.from.name'],
      [{ replyTo: { address: 'a@b.example', name: 'support@bank.example' } }, 'input.replyTo.name'],
      [{ to: [{ address: 'a@b.example' }, { address: 'c@b.example', name: 'a@b.example' }] }, 'input.to.1.name'],
      [{ cc: { address: 'a@b.example', name: 'Bank support @ bank.example' } }, 'input.cc.0.name'],
      [{ replyTo: { address: 'a@b.example', name: 'x\ny' } }, 'input.replyTo.name'],
      [{ replyTo: { address: 'a@b.example>\r\nX: y' } }, 'input.replyTo.address'],
      [{ from: { address: FROM, name: 'x\ny' } }, 'input.from.name'],
      [{ attachments: { name: 'x\r\ny.txt', fileId: UNKNOWN } }, 'input.attachments.0.name'],
      [{ attachments: { name: '../x.txt', fileId: UNKNOWN } }, 'input.attachments.0.name'],
      [{ to: [] }, 'input.to'],
      [{ to: Array.from({ length: 51 }, (_, i) => ({ address: `p${i}@example.com` })) }, 'input.to'],
      [{ to: Array.from({ length: 1_000 }, (_, i) => ({ address: `p${i}@example.com` })) }, 'input.to'],
      [
        { to: { address: 'a@b.example' }, bcc: Array.from({ length: 50 }, (_, i) => ({ address: `p${i}@c.example` })) },
        'input.to',
      ],
      [{ subject: 'x'.repeat(999) }, 'input.subject'],
      [{ subject: 'a\0' }, 'input.subject'],
      [{ subject: '\ud800' }, 'input.subject'],
      [{ textBody: null }, 'input.htmlBody'],
      [{ textBody: 'x'.repeat(5 * MIB + 1) }, 'input.textBody'],
      [{ idempotencyKey: '' }, 'input.idempotencyKey'],
    ];
    it.each(faults)('%# is refused with the name of its field', async (given, field) => {
      expect(await email.refused({ to: { address: 'a@b.example' }, ...given })).toMatchObject({ code: 'BAD_USER_INPUT', field });
    });
  });

  describe('attachments', () => {
    it('arrive byte for byte under the names in the message', async () => {
      const to = someone();
      const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256));
      const fileId = await email.file(content, { name: 'x.pdf' });
      const attachments = [
        { name: 'Rechnung ü "1".pdf', fileId },
        { name: 'again.pdf', fileId },
      ];
      const id = await email.send({ to: { address: to }, attachments });
      const { parsed } = (await email.mail.to(to))[0]!;
      expect(parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
        ['Rechnung ü "1".pdf', 'application/pdf'],
        ['again.pdf', 'application/pdf'],
      ]);
      for (const attachment of parsed.attachments) {
        expect(Buffer.from(attachment.content as ArrayBuffer).equals(content)).toBe(true);
      }
      expect(await email.finished(id)).toMatchObject({ status: 'SENT' });
    });

    it('are refused when unknown, foreign, unfinished or too large, and then nothing is accepted', async () => {
      const files = await email.server.api('file-management', email.api.key);
      const unfinished = (await files.ask('mutation{createFile{id}}')).createFile.id;
      const half = await email.file(Buffer.alloc(13 * MIB));
      const other = await email.another();
      const foreign = await other.file('theirs');
      const by = (...fileIds: string[]) =>
        email.refused({ to: { address: 'nobody@example.com' }, attachments: fileIds.map((fileId) => ({ name: 'a', fileId })) });
      const field = 'input.attachments.0.fileId';
      expect(await by(UNKNOWN)).toMatchObject({ code: 'NOT_FOUND', field });
      expect(await by('x')).toMatchObject({ code: 'NOT_FOUND', field });
      expect(await by(foreign)).toMatchObject({ code: 'NOT_FOUND', field });
      expect(await by(unfinished)).toMatchObject({ code: 'FAILED_PRECONDITION', field });
      expect(await by(half, unfinished)).toMatchObject({ field: 'input.attachments.1.fileId' });
      expect(await by(half, half)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      expect((await email.page({ to: 'nobody@example.com' })).items).toEqual([]);
    });

    if (isPostgres) {
      it('of another tenant are refused without waiting for a change of that file', async () => {
        const foreign = await (await email.another()).file('theirs');
        const client = await openPostgres('no API holds the row of a file', email.server.settings.DATABASE_URL!);
        try {
          await client.query('BEGIN');
          const { rowCount } = await client.query(`UPDATE "File" SET "comment" = 'held' WHERE "id" = '${foreign}'`);
          expect(rowCount).toBe(1);
          // The row stays held, so a send that locked it would end in a time-out of its statement.
          expect(await email.refused({ attachments: { name: 'a', fileId: foreign } })).toMatchObject({ code: 'NOT_FOUND' });
          await client.query('ROLLBACK');
        } finally {
          await client.end();
        }
      });
    }
  });

  describe('an idempotency key', () => {
    it('makes a repeat return the first message, and is a CONFLICT with other content', async () => {
      const to = someone();
      const fileId = await email.file('once');
      const input = { to: { address: to }, attachments: { name: 'a', fileId }, idempotencyKey: 'k' };
      const id = await email.send(input);
      await email.mail.to(to);
      const files = await email.server.api('file-management', email.api.key);
      await files.ask(`mutation{deleteFile(id:"${fileId}"){id}}`);
      expect(await email.send(input)).toBe(id);
      expect(await email.refused({ ...input, subject: 'other' })).toMatchObject({
        code: 'CONFLICT',
        field: 'input.idempotencyKey',
      });
      const other = await email.another();
      expect(await other.send({ to: { address: to }, idempotencyKey: 'k' })).not.toBe(id);
      expect((await email.page({ to })).items).toHaveLength(1);
    });

    it('creates one message for many concurrent calls, with attachments or without', async () => {
      const fileId = await email.file('x');
      for (const attachments of [[], [{ name: 'a', fileId }]]) {
        const to = someone();
        const input = { to: { address: to }, idempotencyKey: to, attachments };
        const ids = await Promise.all(Array.from({ length: 20 }, () => email.send(input)));
        expect(new Set(ids).size).toBe(1);
        await email.finished(ids[0]!);
        expect(email.mail.mails.filter((mail) => mail.to.includes(to))).toHaveLength(1);
      }
    });
  });

  describe('messages', () => {
    it('are listed newest first, in pages, by all filters together', async () => {
      const own = await email.another();
      const [a, b] = [someone(), someone()];
      const ids: string[] = [];
      for (const to of [a, b, a, b, a]) ids.push(await own.send({ to: { address: to }, cc: { address: 'cc@example.com' } }));
      for (const id of ids) await own.finished(id);
      expect((await own.page()).items.map(({ id }: any) => id)).toEqual(ids.toReversed());
      const walked: string[] = [];
      for (let token: string | null = null; ;) {
        const page = await own.page({ to: a, status: 'SENT' }, token, 2);
        walked.push(...page.items.map(({ id }: any) => id));
        if ((token = page.nextToken) === null) break;
      }
      expect(walked).toEqual([ids[4], ids[2], ids[0]]);
      const idsOf = async (filter: object) => (await own.page(filter)).items.map(({ id }: any) => id);
      expect(await idsOf({ id: ids[1], to: b })).toEqual([ids[1]]);
      expect(await idsOf({ id: ids[1], to: a })).toEqual([]);
      expect(await idsOf({ id: 'x' })).toEqual([]);
      expect(await idsOf({ to: 'cc@example.com' })).toEqual([]);
      expect(await idsOf({ status: 'FAILED' })).toEqual([]);
      const { createdAt } = await own.find(ids[2]!);
      expect(await idsOf({ createdAt: { from: createdAt, to: createdAt } })).toContain(ids[2]);
      expect(await idsOf({ createdAt: { to: '2020-01-01' } })).toEqual([]);
    });

    it('belong to their tenant, and a token is valid for its own filter only', async () => {
      const [own, other] = [await email.another(), await email.another()];
      const id = await own.send({ to: { address: someone() } });
      await own.send({ to: { address: someone() } });
      expect((await other.page({ id })).items).toEqual([]);
      const { nextToken } = await own.page({}, null, 1);
      const refusal = { code: 'BAD_USER_INPUT', field: 'nextToken' };
      expect(await other.page({}, nextToken, 1).catch((error) => String(error))).toContain(refusal.code);
      expect(await own.page({ status: 'SENT' }, nextToken, 1).catch((error) => String(error))).toContain('nextToken');
    });

    it('are listed and sent only by keys with the entries of these operations', async () => {
      const query = await email.server.createKey('email-api:query:messages');
      const reader = await email.server.api('email', query);
      expect(await reader.refusal(SEND, { input: { to: { address: 'a@b.example' }, textBody: 't' } })).toMatchObject({
        code: 'FORBIDDEN',
      });
      expect((await reader.ask('{messages{items{id}}}')).messages.items).toEqual([]);
    });

    it('are retained for their period after they are finished, with their content in a row of its own', async () => {
      const { TenantData } = await import('../src/common/tenants/tenant-data.js');
      const database = allRowsOf('no API shows the rows that are left of a mail', email.server);
      const id = await email.send({ to: { address: someone() } });
      await email.finished(id);
      const row = await database.email.findUniqueOrThrow({ where: { id } });
      expect(row).toMatchObject({ html: null, text: null });
      expect(await database.emailContent.count({ where: { emailId: id } })).toBe(1);
      const mails = email.server.app.get(TenantData, { strict: false }).retained.find(({ kind }) => kind === 'mails')!;
      const olderThan = (timeMs: number) => mails.remove(row.tenantId, new Date(timeMs), { limit: 500 });
      const finishedAtMs = row.dueAt.getTime() - 30 * 24 * 3_600_000;
      expect(Math.abs(finishedAtMs - row.sentAt!.getTime())).toBeLessThan(60_000);
      await olderThan(finishedAtMs);
      expect(await email.find(id)).toBeDefined();
      await olderThan(finishedAtMs + 1);
      expect(await email.find(id)).toBeUndefined();
      expect(await database.emailRecipient.count({ where: { emailId: id } })).toBe(0);
      expect(await database.emailContent.count({ where: { emailId: id } })).toBe(0);
    });
  });

  it('are counted in /metrics, with the age of the oldest queued one', async () => {
    await email.finished(await email.send({ to: { address: someone() } }));
    const metrics = await (await fetch(`${email.server.address}/metrics`)).text();
    expect(metrics).toMatch(/emails_total\{outcome="queued"\} [1-9]/);
    expect(metrics).toMatch(/emails_total\{outcome="sent"\} [1-9]/);
    expect(metrics).toMatch(/email_queue_length \d+/);
    expect(metrics).toMatch(/email_queue_oldest_seconds \d+/);
  });
});
