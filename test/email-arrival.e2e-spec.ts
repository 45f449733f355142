// @nightly postgresql: no SQL of its own
import { Email, FROM, someone } from './support/email.js';
import { readMail, withWordsDecoded } from './support/mime.js';

const BYTES = 'application/octet-stream';
const LINE = 'x'.repeat(5_000);
/** Characters and lines that a mail server may change or refuse when they are sent unencoded. */
const CONTENT = Buffer.concat([
  Buffer.from(`From: a@b.example\nSubject: in a file\r\n\r\n${LINE}\n${LINE}\r\r\n.\r\n..\nFrom x\n\0ü\r`),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from('\r\n--boundary--\r\n \t'),
]);

/** Arrived mails are read strictly: lines over 998 octets, lone CR or LF and non-ASCII characters fail the test. */
describe('an email, as it arrives,', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  it('has each attachment byte for byte, as a file under its name, even if the file is a mail', async () => {
    const types = [
      ['message/rfc822', BYTES],
      ['Message/RFC822; charset=utf-8', BYTES],
      ['message/delivery-status', BYTES],
      ['message/partial', BYTES],
      ['multipart/mixed; boundary=boundary', BYTES],
      ['MULTIPART/x', BYTES],
      ['text/html', 'text/html'],
      ['text/plain; charset=utf-16', 'text/plain'],
      ['image/svg+xml', 'image/svg+xml'],
      [`application/${'x'.repeat(243)}`, `application/${'x'.repeat(243)}`],
      [BYTES, BYTES],
    ] as const;
    const files = await Promise.all(types.map(([contentType]) => email.file(CONTENT, { contentType })));
    files.push(await email.file('', { contentType: 'message/rfc822' }));
    const to = someone();
    const attachments = files.map((fileId, index) => ({ name: `mail ${index}.eml`, fileId }));
    await email.send({ to: { address: to }, htmlBody: '<p>html</p>', attachments });
    const [body, ...parts] = readMail((await email.mail.to(to))[0]!.bytes).parts;
    expect(body!.type).toBe('multipart/alternative');
    expect(parts.map(({ type }) => type)).toEqual([...types.map(([, type]) => type), BYTES]);
    for (const [index, part] of parts.entries()) {
      expect(part).toMatchObject({ disposition: 'attachment', fileName: `mail ${index}.eml` });
      expect(part.content.equals(index === types.length ? Buffer.alloc(0) : CONTENT)).toBe(true);
    }
  });

  it.each([
    ['longest', 'x'.repeat(998), 'y'.repeat(1_024), `${'z'.repeat(251)}.pdf`],
    ['longest in another script', '你'.repeat(998), '好'.repeat(1_024), `${'的'.repeat(251)}.pdf`],
    ['look like encoded words', '=?utf-8?Q?x?= and =?UTF-8?B?eA==?=', '=?utf-8?Q?Ann?=', '=?utf-8?Q?a?=.pdf'],
    ['have blanks and quotes', 'a  b\u00a0 "c"', 'Ann  "A\\" <x>, (y)', ' a  b "c" \\d;.pdf'],
  ])('has the subject, names and file names as given, when they %s', async (_, subject, name, fileName) => {
    const [to, cc] = [someone(), someone()];
    const replyTo = { address: 'reply@example.org', name };
    const fileId = await email.file('x');
    const id = await email.send({
      to: { address: to, name },
      cc: { address: cc, name },
      from: { address: FROM, name },
      replyTo,
      subject,
      attachments: { name: fileName, fileId },
    });
    const { bytes, parsed } = (await email.mail.to(to))[0]!;
    expect(parsed).toMatchObject({ subject, from: { name }, to: [{ address: to, name }], cc: [{ address: cc, name }] });
    expect(parsed.replyTo).toEqual([replyTo]);
    const mail = readMail(bytes);
    expect(withWordsDecoded(mail.headers.get('subject')!)).toBe(subject);
    expect(mail.headers.get('message-id')).toBe(`<${id}@sender.example>`);
    expect(mail.parts.at(-1)).toMatchObject({ disposition: 'attachment', fileName });
  });

  it('has a text with long and odd lines exactly as given', async () => {
    const to = someone();
    const text = `${LINE}\n.\n${'ü'.repeat(2_000)}\n--x\nend`;
    await email.send({ to: { address: to }, textBody: text, htmlBody: `<p>${LINE}</p>` });
    const mail = readMail((await email.mail.to(to))[0]!.bytes);
    const [plain, html] = mail.parts.map(({ content }) => content.toString('utf8'));
    expect(plain!.replaceAll('\r\n', '\n').trimEnd()).toBe(text);
    expect(html).toContain(LINE);
  });
});
