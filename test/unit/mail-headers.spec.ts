import { Readable } from 'node:stream';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { mailOptions, openTransporter } from '../../src/modules/email/transport/mail-options.js';
import type { OutgoingMail } from '../../src/modules/email/transport/mail-transport.js';
import { readMail, withWordsDecoded } from '../support/mime.js';

const ADDRESS = `${'a'.repeat(64)}@${'b'.repeat(60)}.example`;
/** Characters that are special in headers, encoded words or parameters, or where lines are folded. */
const SPECIAL = ['=?utf-8?Q?x?=', '=?UTF-8?B?eA==?=', '=?utf-8?q?a', '=?', '?=', '%41', '*', '=', '_', '=20', '.', "'"].concat(
  ['  ', ' ', 'word ', '"', '\\', ',', ';', '<', '>', '(', ')', '@', ':', 'a'.repeat(300)],
  ['ü', '你好', '👋', 'e\u0301', '\u00a0', '\u3000', '\u200b', '\u202e'],
);
const EMPTY: OutgoingMail = {
  id: 'i',
  messageId: '<i@sender.example>',
  date: new Date(0),
  from: { address: 'a@b.example', name: null },
  replyTo: null,
  to: [],
  cc: [],
  subject: '',
  html: null,
  text: 't',
  attachments: [],
  headers: [],
  unsubscribeUrl: null,
  recipients: [ADDRESS],
};
const pieces = fc.array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ unit: 'grapheme', maxLength: 20 })), { maxLength: 30 });
/** Without line breaks, as the input rules require. */
const line = (max: number) =>
  pieces.map((given) =>
    given
      .join('')
      .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
      .toWellFormed()
      .slice(0, max)
      .toWellFormed(),
  );
const person = line(1_024).map((name) => ({ address: ADDRESS, name: name.trim() || null }));

describe('a mail', () => {
  const composer = openTransporter({ streamTransport: true, newline: 'windows' });
  const compose = async (given: object): Promise<Buffer> => {
    const { message } = await composer.sendMail(mailOptions({ ...EMPTY, ...given }));
    return Buffer.concat(await message.toArray());
  };

  it('has lines of at most 998 octets and arrives as written, whatever its subject, names and file names', async () => {
    await fc.assert(
      fc.asyncProperty(
        line(998),
        fc.array(person, { minLength: 1, maxLength: 3 }),
        line(255).filter((name) => name !== ''),
        async (subject, people, fileName) => {
          const attachment = {
            name: fileName,
            contentType: 'text/plain',
            contentId: null,
            content: Readable.from([Buffer.from('x')]),
          };
          const raw = await compose({
            subject,
            from: people[0]!,
            replyTo: people[0]!,
            to: people,
            cc: people,
            attachments: [attachment],
          });
          const mail = readMail(raw);
          expect(withWordsDecoded(mail.headers.get('subject') ?? '')).toBe(subject);
          expect(mail.parts.at(-1)!.fileName).toBe(fileName);
          const parsed = await PostalMime.parse(raw);
          const names = people.map(({ name }) => ({ address: ADDRESS, name: name ?? '' }));
          expect(parsed).toMatchObject({ from: names[0], replyTo: [names[0]], to: names, cc: names });
          expect(parsed.subject ?? '').toBe(subject);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['short words stay readable', 'Invoice 2026-17 (paid), 50 %', 'Invoice 2026-17 (paid), 50 %'],
    ['what looks encoded is encoded', 'see =?utf-8?Q?x?=', '=?UTF-8?Q?see_=3D=3Futf-8=3FQ=3Fx=3F=3D?='],
    ['most letters', 'Grüße aus Wien', '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_Wien?='],
    ['few letters', '你好', '=?UTF-8?B?5L2g5aW9?='],
  ])('has a subject in which %s', async (_, subject, written) => {
    expect(readMail(await compose({ subject })).headers.get('subject')).toBe(written);
  });
});
