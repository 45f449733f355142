// @nightly postgresql: no SQL of its own
import { Email, someone } from './support/email.js';
import { type MimePart, readMail } from './support/mime.js';

const SOURCE = 'query($id:ID!){messageSource(ID:$id)}';

let email: Email;
beforeAll(async () => {
  email = await Email.start();
});
afterAll(() => email.stop());

const sourceOf = async (id: string): Promise<string | null> => (await email.api.ask(SOURCE, { id })).messageSource;

describe('messageSource', () => {
  it('is the mail as sent, without bcc and the content of attachments', async () => {
    const [to, hidden] = [someone(), someone()];
    const id = await email.send({
      to: [{ address: to, name: 'Änn "x"' }],
      bcc: [{ address: hidden }],
      subject: 'Grüße, mit einem langen Betreff, der nicht in eine Zeile passt, weil er noch weiter geht',
      textBody: undefined,
      htmlBody: '<p>Hello <b>Ann</b> <img src="cid:logo" alt=""></p>',
      headers: [{ name: 'X-Own', value: 'ünïcode' }],
      inlineAttachments: [
        {
          name: 'logo.png',
          contentType: 'image/png',
          contentId: 'logo',
          content: Buffer.from('secret bytes').toString('base64'),
        },
      ],
    });
    await email.finished(id);
    const source = (await sourceOf(id))!;
    const leaves = (part: MimePart): MimePart[] => (part.parts.length > 0 ? part.parts.flatMap(leaves) : [part]);
    const mail = readMail(Buffer.from(source));
    expect(leaves(mail).map(({ type, fileName, content }) => [type, fileName, String(content)])).toEqual([
      ['text/plain', undefined, expect.stringContaining('Hello Ann')],
      ['text/html', undefined, expect.stringContaining('<b>Ann</b>')],
      ['image/png', 'logo.png', ''],
    ]);
    expect(mail.headers.get('to')).toContain(to);
    expect([...mail.headers.keys()]).toEqual(
      expect.arrayContaining(['from', 'subject', 'date', 'message-id', 'x-own', 'mime-version']),
    );
    expect(source).toContain('X-Content-Left-Out: 12 bytes');
    for (const absent of [hidden, 'Bcc', Buffer.from('secret bytes').toString('base64')]) expect(source).not.toContain(absent);
    const { messages } = await email.api.ask('query($id:ID){messages(filter:{id:$id}){items{messageId}}}', { id });
    expect(source).toContain(messages.items[0].messageId);
  });

  it('of a queued mail is available too, and that of another tenant is not found', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await email.send({ to: [{ address: someone() }], subject: 'later', textBody: 'x', sendAt });
    expect(await sourceOf(id)).toContain('Subject: later');
    const other = await email.server.api('email');
    expect((await other.ask(SOURCE, { id })).messageSource).toBeNull();
    expect([await sourceOf('none'), await sourceOf('01a1fc71-ac8b-74ea-88bc-78167c5aaf33')]).toEqual([null, null]);
  });

  it('is refused for a mail of more than 1 MiB', async () => {
    const id = await email.send({ to: [{ address: someone() }], subject: 'large', textBody: 'x'.repeat(1_048_577) });
    expect(await email.api.refusal(SOURCE, { id })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});
