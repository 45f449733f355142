import { MAX_REPORT_BYTES } from '../../src/modules/email/bounces/reports/mail-parts.js';
import { mailsOf } from '../../src/modules/email/bounces/reports/mbox.js';
import { ABANDONED, GONE, IN_REPLY_TO_MAIL, PASSING, SENDER } from '../../src/modules/email/transport/failure-kinds.js';
import { readReport } from '../../src/modules/email/bounces/reports/read-report.js';
import { feedbackReport, PLAIN_REPORTS, statusReport } from '../support/bounce-reports.js';

const GMAIL_RATE =
  '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.';

const tables = { ABANDONED, GONE, IN_REPLY_TO_MAIL, PASSING, SENDER };

const read = async (text: string) => {
  const report = await readReport(Buffer.from(text));
  return 'recipients' in report ? report.recipients : report.noReport;
};
const kindOf = async (text: string) => {
  const [first, ...more] = (await read(text)) as { kind: string }[];
  expect(more).toEqual([]);
  return first!.kind;
};

describe('a bounce report', () => {
  it('is read by its delivery status (RFC 3464): recipient, code, and the text of the server', async () => {
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
    ['SOFT', { status: '5.1.0', diagnostic: 'smtp; 550 5.1.0 Sender rejected' }],
    ['SOFT', { status: '5.1.0', diagnostic: 'smtp; 550 5.1.0 <bounce-a@b.example>: sender rejected' }],
    ['SOFT', { status: '5.1.0', diagnostic: 'smtp; 550 Sender address rejected: Domain not found' }],
    ['SOFT', { status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 Invalid sender' }],
    ['SOFT', { status: '5.1.7', diagnostic: 'smtp; 550 5.1.7 bad address, no such user' }],
    ['SOFT', { status: '5.1.8', diagnostic: 'smtp; 553 5.1.8 the domain does not exist' }],
    ['HARD', { status: '5.1.0', diagnostic: 'smtp; 550 5.1.0 Address rejected' }],
    ['HARD', { status: '5.1.0', diagnostic: 'smtp; 550 5.1.0 <ann@example.com>: user unknown' }],
    ['SOFT', { status: '5.2.1', diagnostic: `smtp; ${GMAIL_RATE}` }],
    ['HARD', { status: '5.2.1', diagnostic: 'smtp; 550 5.2.1 This mailbox has been blocked due to inactivity' }],
    ['SOFT', { status: '5.2.1', diagnostic: 'smtp; 550 5.2.1 Mailbox blocked, too many messages' }],
    ['HARD', { status: '5.4.310', diagnostic: 'smtp; 550 5.4.310 DNS domain nowhere.example does not exist' }],
    ['SOFT', { status: '5.4.312', diagnostic: 'smtp; 550 5.4.312 DNS query failed' }],
    ['DELAYED', { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; connection refused' }],
  ])('is %s for %j', async (kind, status) => expect(await kindOf(statusReport(status))).toBe(kind));

  it.each([
    'host mx.example.com said: 550 5.1.0 Address rejected (in reply to MAIL FROM command)',
    'host mx.example.com said: 550 5.1.0 Address rejected (in reply to MAIL\r\n    FROM command)',
    'SMTP error from remote mail server after pipelined MAIL FROM:<bounce@sender.example>: 550 5.1.0 Address rejected',
    '>>> MAIL From:<bounce@sender.example> SIZE=900\r\n<<< 550 5.1.0 Address rejected',
  ])('is SOFT for any refusal of MAIL FROM: %s', async (words) => {
    const status = statusReport({ status: '5.1.0', diagnostic: 'smtp; 550 5.1.0 Address rejected' });
    expect(await kindOf(status.replace('Your message could not be delivered.', words))).toBe('SOFT');
  });

  it('names recipients that the mail reached beside those that it did not', async () => {
    const other = ['', 'Final-Recipient: rfc822; Bob@Example.com', 'Action: relayed', 'Status: 2.0.0', '', '--b1'].join('\r\n');
    const report = await readReport(
      Buffer.from(statusReport().replace('\r\n--b1\r\nContent-Type: message/rfc822', `${other}\r\nContent-Type: message/rfc822`)),
    );
    expect(report).toMatchObject({ recipients: [{ addresses: ['ann@example.com'] }], reached: ['bob@example.com'] });
  });

  it.each([
    ['a delivery status', statusReport(), 'HARD'],
    ['a complaint', feedbackReport(), 'COMPLAINT'],
  ])('is read if a forwarded mail has it attached: %s', async (_, report, kind) => {
    expect(await kindOf(forwarded(report))).toBe(kind);
    expect(await kindOf(forwarded(report, 'Return-Path: <>\r\nFrom: mailer-daemon@hub.example\r\n'))).toBe(kind);
  });

  it('is not a mail of ours that it returns as it was sent', async () => {
    const own = 'From: shop@sender.example\r\nSubject: Your parcel could not be delivered\r\n\r\nmailbox full\r\n';
    expect(await kindOf(forwarded(own, 'From: MAILER-DAEMON@mx.example\r\n', '<ann@example.com>: 550 5.1.1 User unknown'))).toBe(
      'HARD',
    );
  });

  it.each(Object.keys(PLAIN_REPORTS))('is recognised in the words of %s', async (name) => {
    const [{ addresses, kind }] = (await read(PLAIN_REPORTS[name]!)) as { addresses: string[]; kind: string }[] as [any];
    expect([addresses, kind]).toEqual([['ann@example.com'], 'HARD']);
  });

  it('is recognised as a delay by its words', async () => {
    const text = PLAIN_REPORTS['text of Postfix']!.replace(
      'Undelivered Mail Returned to Sender',
      'Delayed Mail (still being retried)',
    );
    expect(await kindOf(text)).toBe('DELAYED');
  });

  it('is read if the mail is cut off within the returned mail', async () => {
    const long = statusReport().replace('It was nice.', 'It was nice.\r\n'.repeat(200_000));
    expect(await kindOf(long.slice(0, MAX_REPORT_BYTES + 1))).toBe('HARD');
  });
});

/** A mail that has another one attached. */
const forwarded = (mail: string, head = 'From: hub@example.com\r\n', words = 'Forwarded by the hub.') =>
  `${head}Subject: Undelivered Mail\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=f\r\n\r\n` +
  `--f\r\n\r\n${words}\r\n--f\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--f--\r\n`;

describe('a table of phrases', () => {
  it.each(Object.entries(tables))('has an example in each row of %s', (_, rows) => {
    for (const { example, words } of rows) expect([example, words.test(example)]).toEqual([example, true]);
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

describe('an absence note', () => {
  const TEXT = 'I am away and cannot be reached. Ann no longer works here, and the address is no longer in use.';
  const note = (subject: string, ...marks: string[]) =>
    [
      'Return-Path: <>',
      'From: Ann <ann@example.com>',
      'To: bounce@sender.example',
      `Subject: ${subject}`,
      ...marks,
      '',
      TEXT,
      '',
    ].join('\r\n');
  it.each([
    ['Sieve', note('Auto: your invoice', 'Auto-Submitted: auto-replied (vacation)', 'Precedence: bulk')],
    ['Sieve, with its subject alone', note('Auto: your invoice')],
    ['Zimbra', note('Re: your invoice', 'Auto-Submitted: auto-replied (zimbra; vacation)', 'Precedence: bulk')],
    ['a reply by its subject alone', note('Re: your invoice')],
    ['Exchange', note('Your invoice', 'Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: All')],
    ['a list', note('Your invoice', 'Precedence: list')],
    ['Exchange in Swedish', note('Autosvar: Your invoice')],
    ['Exchange in Dutch', note('Automatisch antwoord: Your invoice')],
    ['Exchange in Polish', note('Odpowiedź automatyczna: Your invoice')],
    ['Exchange in Portuguese', note('Resposta automática: Your invoice')],
    ['Exchange in Chinese', note('自动答复: Your invoice')],
    ['Exchange in Japanese', note('自動応答: Your invoice')],
    ['Exchange in Russian', note('Автоматический ответ: Your invoice')],
  ])('of %s is not a report, even with an empty return path', async (_, text) =>
    expect(await read(text)).toBe('is not a report of a mail server'),
  );

  it('without such marks, or from a mail server, is a report', async () => {
    expect(await kindOf(note('Undelivered'))).toBe('HARD');
    expect(
      await kindOf(note('Notice', 'Auto-Submitted: auto-replied').replace('Ann <ann@', 'MAILER-DAEMON <mailer-daemon@')),
    ).toBe('HARD');
  });
});

describe('a mail that is not a report', () => {
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

describe('a mail crafted to be slow to parse', () => {
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
    ['a field of a status that continues', statusReport({ diagnostic: `smtp; 550 no\r\n${' y\r\n'.repeat(60_000)}` })],
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

  it.each([1, 2, 7, 1_000])('is split at its From lines, and unquoted, in chunks of %i bytes', async (size) =>
    expect(await split(MBOX.replace('\n\nFrom here', '\nx\nFrom here'), size)).toEqual([
      'Subject: 1\nx\nFrom here on\nto there\n\nFrom one\n>From two\n\n',
      'Subject: 2\r\n\r\nend',
    ]),
  );

  it('may be one mail without a From line, or nothing', async () => {
    expect(await split('Subject: 1\n\ntext')).toEqual(['Subject: 1\n\ntext']);
    expect(await split('')).toEqual([]);
  });

  it('is read in bounded memory: the first bytes of a mail are retained, and an endless line begins no mail', async () => {
    expect(await split(`From x\n${'a'.repeat(500_000)}From b\n\nFrom y\nend`, 10_000, 10)).toEqual(['a'.repeat(10), 'end']);
  });
});
