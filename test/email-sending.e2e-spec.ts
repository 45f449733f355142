// @nightly postgresql: no SQL of its own
import { readdirSync, readFileSync } from 'node:fs';
// Past the API: a run of each job without its pause.
import { FileReconciliationService } from '../src/modules/file-management/expiry/file-reconciliation.service.js';
import { FileExpiry } from '../src/modules/file-management/expiry/file-expiry.job.js';
import { newCertificate } from './support/certificates.js';
import { Email, someone } from './support/email.js';
import { MailServer } from './support/smtp.js';

/** Each test has addresses of its own, which tell the mail server how to behave. */
describe('an accepted message, if the mail server', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const mailsTo = (address: string) => email.mail.mails.filter(({ to }) => to.includes(address));

  it('is down, is queued and sent once it is up again; the node stays ready', async () => {
    await email.mail.stop();
    const to = someone();
    const id = await email.send({ to: { address: to } });
    const waiting = await email.tried(id);
    expect(waiting).toMatchObject({ status: 'QUEUED', attempts: 1, sentAt: null });
    expect(waiting.lastError).toMatch(/cannot be reached/);
    expect(waiting.lastError).not.toMatch(/127\.0\.0\.1|ECONN/);
    expect((await fetch(`${email.server.address}/health/ready`)).status).toBe(200);
    await email.mail.listen();
    await email.passTime();
    await email.mail.to(to);
    expect(await email.finished(id)).toMatchObject({ status: 'SENT', attempts: 2, lastError: null });
  });

  it.each(['MAIL', 'DATA'] as const)('defers it at %s, is sent later under the same Message-ID', async (at) => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at });
    const id = await email.send({ to: { address: to } });
    expect(await email.tried(id)).toMatchObject({ status: 'QUEUED', lastError: expect.stringContaining('451') });
    email.mail.treatments.delete(to);
    await email.passTime();
    const [mail] = await email.mail.to(to);
    expect(mail!.parsed.messageId).toBe(`<${id}@sender.example>`);
    expect(await email.finished(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  it('refuses it permanently, fails at once with the reason', async () => {
    const to = someone();
    email.mail.treatments.set(to, { code: 554, at: 'DATA' });
    const id = await email.send({ to: { address: to } });
    expect(await email.finished(id)).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      sentAt: null,
      lastError: expect.stringContaining('554 not like this'),
    });
  });

  it.each(['RCPT', 'DATA'] as const)(
    'refuses it at %s with internal host names, shows its codes and text without them',
    async (at) => {
      const to = someone();
      email.mail.words.set(to, `5.7.1 mx-7.int.corp.example [10.1.2.3]: <${to}> blocked by relay.local:25, see fe80::1`);
      if (at === 'RCPT') email.mail.recipients.set(to, 550);
      else email.mail.treatments.set(to, { code: 550, at });
      const { lastError } = await email.finished(await email.send({ to: { address: to } }));
      const shown = `the mail server responded: 550 5.7.1 [host] [[address]]: <${to}> blocked by [host], see [address]`;
      expect(lastError).toBe(at === 'RCPT' ? `${to}: ${shown}` : shown);
    },
  );

  it('names a recipient in its reply, appears in the log without it', async () => {
    const [taken, gone, busy, whole, later] = Array.from({ length: 5 }, () => `log-of-${someone()}`) as [
      string,
      string,
      string,
      string,
      string,
    ];
    email.mail.recipients.set(gone, 550).set(busy, 451);
    email.mail.words.set(gone, `5.1.1 <${gone}> ${gone.split('@')[0]} is unknown`);
    email.mail.words.set(busy, `4.2.1 ${gone.replace('@', '=')} is busy`);
    email.mail.treatments.set(whole, { code: 554, at: 'DATA' }).set(later, { code: 451, at: 'DATA' });
    email.mail.words.set(whole, `5.7.1 ${whole} may not`).set(later, `4.7.1 ${later} later`);
    const first = await email.send({ to: [taken, gone, busy].map((address) => ({ address, name: 'log-of-Ann' })) });
    const ids = [first, await email.send({ to: { address: whole } }), await email.send({ to: { address: later } })];
    await email.tried(first);
    expect((await email.finished(ids[1]!)).lastError).toContain(whole);
    await email.tried(ids[2]!);
    const lines = email.server.logLines.filter((line) => ids.some((id) => line.includes(id)));
    expect(lines.join('')).toMatch(/"replies":\["550 5\.1\.1","451 4\.2\.1"\]/);
    expect(lines.join('')).toContain('"replies":["554 5.7.1"]');
    expect(email.server.logLines.join('')).not.toContain('log-of-');
  });

  it('refuses some recipients, reaches the others once, retries deferred ones, and names refused ones', async () => {
    const [good, later, never] = [someone(), someone(), someone()];
    email.mail.recipients.set(later, 450).set(never, 550);
    const id = await email.send({ to: [{ address: good }, { address: later }], bcc: { address: never } });
    const waiting = await email.tried(id);
    expect(waiting).toMatchObject({ status: 'QUEUED', lastError: expect.stringContaining(`${later}: `) });
    const [got, gone] = [
      { address: good, name: null, kind: 'TO', status: 'SENT', attempts: 1, lastError: null },
      { address: never, name: null, kind: 'BCC', status: 'FAILED', attempts: 1, lastError: expect.stringContaining(' 550 ') },
    ];
    const tried = { address: later, name: null, kind: 'TO', status: 'QUEUED', lastError: expect.stringContaining(' 450 ') };
    expect(waiting.recipients).toEqual([got, { ...tried, attempts: 1 }, gone]);
    email.mail.words.set(later, '4.2.1 still busy');
    await email.passTime();
    const again = await email.until(id, ({ recipients }) => recipients[1].lastError?.includes('still busy'));
    expect(again.recipients).toEqual([got, { ...tried, attempts: 2 }, gone]);
    email.mail.recipients.delete(later);
    await email.passTime();
    const done = await email.finished(id);
    expect(done).toMatchObject({ status: 'SENT', attempts: 3, lastError: expect.stringContaining(`${never}: `) });
    expect(done.lastError).not.toContain(later);
    expect(done.recipients).toEqual([got, { ...tried, status: 'SENT', attempts: 3, lastError: null }, gone]);
    expect([good, later, never].map((address) => mailsTo(address).length)).toEqual([1, 1, 0]);
    expect(mailsTo(later)[0]!.parsed.to).toHaveLength(2);
  });

  it('refuses all recipients, fails', async () => {
    const [a, b] = [someone(), someone()];
    email.mail.recipients.set(a, 550).set(b, 550);
    const failed = await email.finished(await email.send({ to: [{ address: a }, { address: b }] }));
    expect(failed).toMatchObject({ status: 'FAILED' });
    expect(failed.recipients).toMatchObject([a, b].map((address) => ({ address, status: 'FAILED', attempts: 1 })));
    expect(failed.lastError).toContain(a);
    expect(failed.lastError).toContain(b);
  });

  it.each(['drop before DATA', 'drop after DATA'] as const)(
    'does %s, is sent again under the same Message-ID',
    async (treatment) => {
      const to = someone();
      email.mail.treatments.set(to, treatment);
      const id = await email.send({ to: { address: to } });
      expect(await email.tried(id)).toMatchObject({ status: 'QUEUED' });
      email.mail.treatments.delete(to);
      await email.passTime();
      expect(await email.finished(id)).toMatchObject({ status: 'SENT' });
      const ids = mailsTo(to).map(({ parsed }) => parsed.messageId);
      expect(new Set(ids)).toEqual(new Set([`<${id}@sender.example>`]));
      expect(ids).toHaveLength(treatment === 'drop after DATA' ? 2 : 1); // the server took it and could not say so
    },
  );

  it('is slow, does not hold up others', async () => {
    const slow = Array.from({ length: 3 }, someone);
    for (const to of slow) email.mail.treatments.set(to, { slowMs: 1_000 });
    const ids = await Promise.all(slow.map((address) => email.send({ to: { address } })));
    const quick = await email.finished(await email.send({ to: { address: someone() } }));
    expect(quick.status).toBe('SENT');
    expect((await email.find(ids[2]!)).status).toBe('QUEUED');
    for (const id of ids) expect(await email.finished(id)).toMatchObject({ status: 'SENT', attempts: 1 });
  });

  it('defers it for 24 hours, fails', async () => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'DATA' });
    const id = await email.send({ to: { address: to } });
    await email.tried(id);
    await email.passTime({ giveUpAt: new Date() });
    const failed = { status: 'FAILED', attempts: 2, lastError: expect.stringContaining('451') };
    expect(await email.finished(id)).toMatchObject({ ...failed, recipients: [{ address: to, ...failed }] });
  });

  describe('is down while the attached file', () => {
    const held = async (input: object = {}) => {
      const to = someone();
      email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
      const content = `content for ${to}`;
      const fileId = await email.file(content, input);
      const id = await email.send({ to: { address: to }, attachments: { name: 'a.txt', fileId } });
      await email.tried(id);
      const files = await email.server.api('file-management', email.api.key);
      return { to, id, fileId, content, files };
    };
    const arrives = async ({ to, id, content, fileId }: Awaited<ReturnType<typeof held>>) => {
      const service = email.server.app.get(FileReconciliationService, { strict: false });
      await service.reconcile({ dryRun: false, minAgeSeconds: 0 });
      email.mail.treatments.delete(to);
      await email.passTime();
      const [mail] = await email.mail.to(to);
      expect(Buffer.from(mail!.parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe(content);
      await email.finished(id);
      return fileId;
    };
    /** Bytes are removed after the outcome of the message is stored. */
    const keysBecome = async (fileId: string, count: number) => {
      const keys = async () => (await email.server.blobKeys()).filter((key) => key.includes(fileId));
      while ((await keys()).length !== count) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    it('is deleted, is sent with it, and the content is removed after that', async () => {
      const message = await held();
      await message.files.ask(`mutation{deleteFile(id:"${message.fileId}"){id}}`);
      await keysBecome(await arrives(message), 0);
    });

    it('gets new content, is sent with the old', async () => {
      const message = await held();
      const { file } = await message.files.ask(`{file(ID:"${message.fileId}"){uploadUrl}}`);
      expect((await fetch(file.uploadUrl, { method: 'PUT', body: Buffer.from('other') })).status).toBe(200);
      await keysBecome(await arrives(message), 1);
    });

    it('expires, is sent with it, and the content is removed after that', async () => {
      const message = await held({ expiresIn: 2 });
      const { file } = await message.files.ask(`{file(ID:"${message.fileId}"){expiresAt}}`);
      while (Date.now() < Date.parse(file.expiresAt)) await new Promise((resolve) => setTimeout(resolve, 20));
      await email.server.app.get(FileExpiry, { strict: false }).expire();
      await keysBecome(await arrives(message), 0);
    });

    it('is attached to another message too, retains it for that message', async () => {
      const message = await held();
      const other = someone();
      email.mail.treatments.set(other, { code: 451, at: 'MAIL' });
      const second = await email.send({ to: { address: other }, attachments: { name: 'b.txt', fileId: message.fileId } });
      await email.tried(second);
      await message.files.ask(`mutation{deleteFile(id:"${message.fileId}"){id}}`);
      await keysBecome(await arrives(message), 1);
      email.mail.treatments.delete(other);
      await email.passTime();
      await email.finished(second);
      await keysBecome(message.fileId, 0);
    });
  });

  it('is deleted concurrently, is refused or is sent with it', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const to = someone();
        const fileId = await email.file(`content for ${to}`);
        const files = await email.server.api('file-management', email.api.key);
        const [sent] = await Promise.allSettled([
          email.send({ to: { address: to }, attachments: { name: 'a', fileId } }),
          files.ask(`mutation{deleteFile(id:"${fileId}"){id}}`),
        ]);
        if (sent.status === 'rejected') return expect(String(sent.reason)).toContain('NOT_FOUND');
        const [mail] = await email.mail.to(to);
        expect(Buffer.from(mail!.parsed.attachments[0]!.content as ArrayBuffer).toString()).toBe(`content for ${to}`);
      }),
    );
    expect(outcomes).toHaveLength(10);
  });
});

describe('a mail server with a self-signed certificate', () => {
  it('gets no mail; lastError, each recipient and the log name the cause; once it is fixed the mail is sent', async () => {
    const certificate = newCertificate({ names: ['mx.inner.example'] });
    const mail = await MailServer.start({ certificate });
    const email = await Email.start({ SMTP_URL: mail.url });
    const to = someone();
    const id = await email.send({ to: { address: to } });
    const lastError = 'the certificate of the mail server is self-signed; to trust it, name it in SMTP_CA_FILE';
    const waiting = { status: 'QUEUED', attempts: 1, lastError };
    expect(await email.tried(id)).toMatchObject({ ...waiting, recipients: [waiting] });
    const told = email.server.logLines.map((line) => JSON.parse(line)).find((line) => line.emailId === id && line.err);
    expect(told.err).toMatchObject({
      message: lastError,
      cause: { message: expect.stringContaining('self-signed certificate') },
    });
    await mail.stop();
    mail.behaviour = {};
    await mail.listen();
    await email.passTime();
    await mail.to(to);
    expect(await email.finished(id)).toMatchObject({ status: 'SENT', attempts: 2, lastError: null });
    await email.stop();
    await mail.stop();
  });
});

describe('without SMTP_URL, mail', () => {
  it('is written as an .eml file to DATA_DIR/mail, and the log says so at the start and for each mail', async () => {
    const email = await Email.start({ SMTP_URL: '', EMAIL_FROM: '' });
    const id = await email.send({ to: { address: 'ann@example.com' }, subject: 'kept', bcc: { address: 'hidden@example.com' } });
    expect(await email.finished(id)).toMatchObject({ status: 'SENT', from: { address: 'platform-services@localhost' } });
    const folder = `${email.server.dataDir}/mail`;
    expect(readdirSync(folder)).toEqual([`${id}.eml`]);
    const text = readFileSync(`${folder}/${id}.eml`, 'utf8');
    expect(text).toMatch(/^Subject: kept\r$/m);
    expect(text).toContain(`Message-ID: <${id}@localhost>`);
    expect(text).not.toContain('hidden');
    const lines = email.server.logLines.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ msg: expect.stringMatching(/SMTP_URL is not set/), level: 40 }));
    expect(lines).toContainEqual(
      expect.objectContaining({ emailId: id, msg: expect.stringMatching(/stored as a file instead of sent/) }),
    );
    await email.stop();
  });
});
