import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';

const CANCEL =
  'mutation($id:ID!){cancelMessage(id:$id){id status lastError sentAt recipients{address status lastError attempts} content{text attachments{name}}}}';
const CANCELLED = 'cancelled by the application';
const DAY_MS = 24 * 3_600_000;

describe('cancelMessage of email', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const database = () => allRowsOf('no API shows what a mail holds or makes a node that is sending it', email.server);
  const cancel = async (id: string) => (await email.api.ask(CANCEL, { id })).cancelMessage;
  const mailsTo = (address: string) => email.mail.mails.filter(({ to }) => to.includes(address));
  /** A message that the mail server refused for now. */
  const waiting = async (input: object = {}): Promise<{ id: string; to: string }> => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
    const id = await email.send({ to: { address: to }, ...input });
    await email.tried(id);
    return { id, to };
  };

  it('stops a queued message: it is never sent, stores its content and releases its attachments', async () => {
    const fileId = await email.file('x', { name: 'f' });
    const { id, to } = await waiting({ textBody: 'wrong', attachments: [{ name: 'a', fileId }] });
    expect(await database().blobPin.count({ where: { holderId: id } })).toBe(1);
    const cancelled = await cancel(id);
    expect(cancelled).toEqual({
      id,
      status: 'FAILED',
      lastError: CANCELLED,
      sentAt: null,
      recipients: [{ address: to, status: 'FAILED', lastError: CANCELLED, attempts: 1 }],
      content: { text: 'wrong', attachments: [{ name: 'a' }] },
    });
    expect(await database().blobPin.count({ where: { holderId: id } })).toBe(0);
    expect(await cancel(id)).toEqual(cancelled);
    email.mail.treatments.delete(to);
    await email.passTime();
    await email.finished(await email.send({ to: { address: someone() } }));
    expect(mailsTo(to)).toEqual([]);
    expect(await email.find(id)).toMatchObject({ status: 'FAILED', lastError: CANCELLED });
  });

  it('cancels a message for recipients who have not received it, and a repeat changes nothing', async () => {
    const [good, later, never] = [someone(), someone(), someone()];
    email.mail.recipients.set(later, 450).set(never, 550);
    const id = await email.send({ to: [{ address: good }, { address: later }, { address: never }] });
    await email.tried(id);
    const cancelled = await cancel(id);
    expect(cancelled).toMatchObject({
      status: 'SENT',
      lastError: expect.stringMatching(new RegExp(`^${CANCELLED}; .*550`)),
      recipients: [
        { address: good, status: 'SENT', lastError: null },
        { address: later, status: 'FAILED', lastError: CANCELLED },
        { address: never, status: 'FAILED', lastError: expect.stringContaining('550') },
      ],
    });
    expect(cancelled.sentAt).not.toBeNull();
    expect(await cancel(id)).toEqual(cancelled);
  });

  it('returns a failed message unchanged, and refuses a sent one', async () => {
    const [bad, good] = [someone(), someone()];
    email.mail.recipients.set(bad, 550);
    const failed = await email.finished(await email.send({ to: { address: bad } }));
    expect(await cancel(failed.id)).toMatchObject({ status: 'FAILED', lastError: failed.lastError });
    const sent = await email.finished(await email.send({ to: { address: good } }));
    const { code, message } = await email.api.refusal(CANCEL, { id: sent.id });
    expect({ code, message }).toEqual({
      code: 'FAILED_PRECONDITION',
      message: `The message was sent at ${sent.sentAt} and cannot be cancelled`,
    });
  });

  it('refuses a message that a node is sending, and cancels it once the lease has expired', async () => {
    const { id } = await waiting();
    const lease = (ms: number) =>
      database().email.update({ where: { id }, data: { leaseHolder: 'another', dueAt: new Date(Date.now() + ms) } });
    await lease(DAY_MS);
    const { code, message } = await email.api.refusal(CANCEL, { id });
    expect(code).toBe('FAILED_PRECONDITION');
    expect(message).toContain('is being sent; retry after the attempt');
    expect(await email.find(id)).toMatchObject({ status: 'QUEUED' });
    expect(await database().emailContent.count({ where: { emailId: id } })).toBe(0);
    await database().email.update({ where: { id }, data: { leaseHolder: null } });
    expect(await cancel(id)).toMatchObject({ status: 'FAILED', lastError: CANCELLED });
  });

  it('during an attempt either cancels the message, which nobody receives, or is refused, and the message is sent once', async () => {
    const rounds: { id: string; to: string; isCancelled: boolean }[] = [];
    for (let round = 0; round < 30; round++) {
      const { id, to } = await waiting();
      email.mail.treatments.delete(to);
      const sending = email.passTime();
      if (round % 3 > 0) await sending;
      if (round % 3 > 1) await email.find(id);
      const answers = await Promise.all([cancel(id).catch(() => undefined), cancel(id).catch(() => undefined)]);
      await sending;
      await email.finished(id); // the next round makes every queued mail due, which would end the lease of this one
      rounds.push({ id, to, isCancelled: answers.some((answer) => answer !== undefined) });
    }
    for (const { id, to, isCancelled } of rounds) {
      expect(await email.finished(id)).toMatchObject({ status: isCancelled ? 'FAILED' : 'SENT' });
      expect(mailsTo(to)).toHaveLength(isCancelled ? 0 : 1);
    }
  });

  it('refuses an unknown, a foreign and an invalid id, and keys without its entry, and changes no message', async () => {
    const { id } = await waiting();
    const other = await email.another();
    const unknown = { code: 'NOT_FOUND', message: 'The message does not exist' };
    expect(await other.api.refusal(CANCEL, { id })).toMatchObject(unknown);
    for (const wrong of ['01900000-0000-7000-8000-000000000000', '', "' OR 1=1", '\0', '\ud800', 'x'.repeat(10_000)]) {
      expect(await email.api.refusal(CANCEL, { id: wrong })).toMatchObject({ code: 'NOT_FOUND' });
    }
    const reader = await email.server.api('email', await email.server.createKey('email-api:query:messages'));
    expect(await reader.refusal(CANCEL, { id })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await email.find(id)).toMatchObject({ status: 'QUEUED' });
  });
});
