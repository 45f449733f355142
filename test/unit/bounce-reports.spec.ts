import { MAX_REPORT_BYTES } from '../../src/modules/email/bounce-reports/mail-parts.js';
import { mailsOf } from '../../src/modules/email/bounce-reports/mbox.js';
import { readReport } from '../../src/modules/email/bounce-reports/read-report.js';
import { feedbackReport, PLAIN_REPORTS, statusReport } from '../support/bounce-reports.js';

const read = async (text: string) => {
  const report = await readReport(Buffer.from(text));
  return 'recipients' in report ? report.recipients : report.noReport;
};
const kindOf = async (text: string) => {
  const [first, ...more] = (await read(text)) as { kind: string }[];
  expect(more).toEqual([]);
  return first!.kind;
};

describe('a report of a bounce', () => {
  it('is read by its delivery status (RFC 3464): whom it is of, its code, and what the server said', async () => {
    expect(await read(statusReport())).toEqual([
      {
        addresses: ['ann@example.com'],
        kind: 'HARD',
        code: '5.1.1',
        diagnostic: '550 5.1.1 <ann@example.com>: no such user here',
      },
    ]);
  });

  it.each([
    ['HARD', { status: '5.1.1' }],
    ['HARD', { status: '5.1.10', diagnostic: 'smtp; 556 5.1.10 example.com takes no mail' }],
    ['HARD', { status: '5.0.0', diagnostic: 'smtp; 550 No such user' }],
    ['HARD', { status: '5.0.0', diagnostic: 'smtp; 550-5.1.1 The email account that you tried to reach does not exist' }],
    ['HARD', { status: '5.4.4', diagnostic: 'X-Postfix; Host or domain name not found' }],
    ['SOFT', { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 mailbox is full' }],
    ['SOFT', { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 Service unavailable, client host blocked, unknown user or not' }],
    ['SOFT', { status: '5.3.4', diagnostic: 'smtp; 552 message too large' }],
    ['SOFT', { status: '4.4.7', diagnostic: 'smtp; delivery time expired' }],
    ['SOFT', { status: '5.0.0', diagnostic: 'smtp; 550 rejected' }],
    ['DELAYED', { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; connection refused' }],
  ])('is %s for %j', async (kind, status) => expect(await kindOf(statusReport(status))).toBe(kind));

  it.each(Object.keys(PLAIN_REPORTS))('is read in the words of %s', async (name) => {
    const [{ addresses, kind }] = (await read(PLAIN_REPORTS[name]!)) as { addresses: string[]; kind: string }[] as [any];
    expect([addresses, kind]).toEqual([['ann@example.com'], 'HARD']);
  });

  it('is a delay in words too', async () => {
    const text = PLAIN_REPORTS['text of Postfix']!.replace(
      'Undelivered Mail Returned to Sender',
      'Delayed Mail (still being retried)',
    );
    expect(await kindOf(text)).toBe('DELAYED');
  });

  it('is read where the mail is cut off in the middle of what it returns', async () => {
    const long = statusReport().replace('It was nice.', 'It was nice.\r\n'.repeat(200_000));
    expect(await kindOf(long.slice(0, MAX_REPORT_BYTES + 1))).toBe('HARD');
  });
});

describe('a complaint', () => {
  it('is read by its feedback report (RFC 5965)', async () => {
    expect(await read(feedbackReport())).toEqual([
      { addresses: [], kind: 'COMPLAINT', code: null, diagnostic: 'abuse, reported by SomeGenerator/1.0' },
    ]);
  });

  it.each(['not-spam', 'auth-failure', ''])('is not a feedback report of the type "%s"', async (type) =>
    expect(await read(feedbackReport({ type }))).toMatch(/another type/),
  );
});

describe('no report', () => {
  const from = (subject: string, more = '', text = 'I am away.') =>
    `From: Ann <ann@example.com>\r\nTo: bounce@sender.example\r\nSubject: ${subject}\r\n${more}\r\n${text}\r\n`;
  it.each([
    ['a vacation note', from('Out of office: back on Monday', 'Auto-Submitted: auto-replied\r\n')],
    [
      'an automatic reply that mentions a failure',
      from('Automatic reply: mail delivery failed', 'X-Autoreply: yes\r\n', 'Your mail could not be delivered.'),
    ],
    ['a mail of a person', from('Re: your invoice', '', 'The address ann@example.com is unknown to us: 550 5.1.1')],
    ['a delivery that worked', statusReport({ action: 'delivered', status: '2.0.0', diagnostic: 'smtp; 250 ok' })],
    ['a relayed mail', statusReport({ action: 'relayed', status: '2.0.0', diagnostic: 'smtp; 250 ok' })],
    ['nothing', ''],
    ['bytes', '\0\xff'.repeat(100)],
  ])('is %s', async (_, text) => expect(typeof (await read(text))).toBe('string'));
});

/** Returns the processor time of reading a mail, in milliseconds: the least of three, which other work disturbs least. */
async function leastProcessor(text: string): Promise<number> {
  const bytes = Buffer.from(text, 'latin1');
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const began = process.cpuUsage();
    await readReport(bytes);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

describe('a mail that is made to be hard to read', () => {
  const nested = (depth: number) => {
    let text = 'From: mailer-daemon@x.example\r\nSubject: failure notice\r\n';
    for (let level = 0; level < depth; level++)
      text += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
    return `${text}\r\nno such user\r\n`;
  };
  const head = 'From: mailer-daemon@x.example\r\nSubject: failure notice\r\n';
  let plain: number;
  beforeAll(async () => {
    plain = await leastProcessor(`${head}\r\n${'no such user\r\n'.repeat(6_000)}`);
  });

  it.each([
    ['parts within parts', nested(5_000)],
    ['10,000 parts', `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nno such user\r\n'.repeat(10_000)}`],
    ['60,000 parts without anything', `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(60_000)}`],
    ['lines that may end any of many parts', `${nested(19)}${'--\r\n'.repeat(60_000)}`],
    ['a field of a status that goes on', statusReport({ diagnostic: `smtp; 550 no\r\n${' y\r\n'.repeat(60_000)}` })],
    ['10,000 mails within mails', 'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000)],
    ['headers without an end', `X: ${'a\r\n '.repeat(5_000_000)}`],
    ['one header line without an end', `Subject: ${'a '.repeat(10_000_000)}`],
    ['a body of 100 MB', `${head}\r\n${'no such user <ann@example.com> at all, '.repeat(2_600_000)}`],
    [
      'a delivery status of 10,000 recipients',
      statusReport({
        diagnostic: `smtp; 550 no\r\n\r\n${'Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n\r\n'.repeat(4_000)}`,
      }),
    ],
    ['a line of addresses', `${head}\r\n${'a@b.'.repeat(60_000)}`],
    ['a line that begins words again and again', `${head}\r\n${'mailbox '.repeat(20_000)}`],
    ['a header of encoded words', `${head}Subject: ${'=?utf-8?B?'.repeat(10_000)}\r\n\r\nno`],
  ])('takes less than three times the processor of a plain report of 6,000 lines: %s', async (_, text) => {
    expect((await leastProcessor(text)) / plain).toBeLessThan(3);
  });
});

describe('an mbox', () => {
  const split = async (text: string, size = 7, maxBytes = 1_000) => {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
    };
    const mails: string[] = [];
    for await (const mail of mailsOf(pieces(), maxBytes)) mails.push(String(mail));
    return mails;
  };
  const MBOX =
    'From a@b Wed Nov 25\nSubject: 1\n\nFrom here on\nto there\n\n>From one\n>>From two\n\nFrom c@d Wed Nov 25\r\nSubject: 2\r\n\r\nend';

  it.each([1, 2, 7, 1_000])('is split at its From lines, and unquoted, in pieces of %i bytes', async (size) =>
    expect(await split(MBOX.replace('\n\nFrom here', '\nx\nFrom here'), size)).toEqual([
      'Subject: 1\nx\nFrom here on\nto there\n\nFrom one\n>From two\n\n',
      'Subject: 2\r\n\r\nend',
    ]),
  );

  it('may be one mail without a From line, or nothing', async () => {
    expect(await split('Subject: 1\n\ntext')).toEqual(['Subject: 1\n\ntext']);
    expect(await split('')).toEqual([]);
  });

  it('is read in bounded memory: of a mail the first bytes are kept, and a line without an end begins no mail', async () => {
    expect(await split(`From x\n${'a'.repeat(500_000)}From b\n\nFrom y\nend`, 10_000, 10)).toEqual(['a'.repeat(10), 'end']);
  });
});
