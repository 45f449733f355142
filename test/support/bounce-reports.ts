/** Reports in the formats of mail servers, written for these tests. */

interface Wanted {
  /** Recipient of the report. */
  to?: string;
  recipient?: string;
}

const RETURNED = [
  'Received: from sender.example by mx.example.net',
  'Subject: the mail that comes back',
  '',
  'It was nice.',
].join('\r\n');
const lines = (...all: string[]): string => all.join('\r\n');

interface Status extends Wanted {
  action?: string;
  status?: string;
  diagnostic?: string;
}

/** A delivery status notification (RFC 3464). */
export const statusReport = ({
  to = 'bounce@sender.example',
  recipient = 'ann@example.com',
  action = 'failed',
  status = '5.1.1',
  diagnostic = 'smtp; 550 5.1.1 <ann@example.com>: no such user here',
}: Status = {}): string =>
  lines(
    'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain',
    '',
    'This is the mail system at host mx.example.net. Your message could not be delivered.',
    '',
    '--b1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    'Arrival-Date: Wed, 25 Nov 2026 10:00:00 +0000',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${diagnostic}`,
    '',
    '--b1',
    'Content-Type: message/rfc822',
    '',
    RETURNED,
    '',
    '--b1--',
    '',
  );

/** A feedback report (RFC 5965). */
export const feedbackReport = ({
  to = 'fbl@sender.example',
  type = 'abuse',
  returnPath = 'bounce@sender.example',
} = {}): string =>
  lines(
    'From: <feedback@isp.example>',
    `To: <${to}>`,
    'Subject: FW: the mail that comes back',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '--b1',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: SomeGenerator/1.0',
    'Version: 1',
    '--b1',
    'Content-Type: message/rfc822',
    '',
    `Return-Path: <${returnPath}>`,
    RETURNED,
    '--b1--',
    '',
  );

const plain = (head: string[], ...body: string[]): string => lines(...head, '', ...body, '');

/** Non-standard reports by sender, each about ann@example.com. */
export const PLAIN_REPORTS: Record<string, string> = {
  qmail: plain(
    ['Return-Path: <>', 'From: MAILER-DAEMON@mx.example.net', 'To: bounce@sender.example', 'Subject: failure notice'],
    'Hi. This is the qmail-send program at mx.example.net.',
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    "This is a permanent error; I've given up. Sorry it didn't work out.",
    '',
    '<ann@example.com>:',
    'Sorry, no mailbox here by that name. (#5.1.1)',
    '',
    '--- Below this line is a copy of the message.',
    '',
    RETURNED,
  ),
  Exim: plain(
    [
      'X-Failed-Recipients: ann@example.com',
      'Auto-Submitted: auto-replied',
      'From: Mail Delivery System <Mailer-Daemon@mx.example.net>',
      'To: bounce@sender.example',
      'Subject: Mail delivery failed: returning message to sender',
    ],
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    '  ann@example.com',
    '    SMTP error from remote mail server after RCPT TO:<ann@example.com>:',
    '    host mx.example.com [203.0.113.7]: 550 unknown user',
    '',
    '------ This is a copy of the message, including all the headers. ------',
    '',
    RETURNED,
  ),
  'old Exchange': plain(
    [
      'From: System Administrator <postmaster@mx.example.net>',
      'To: bounce@sender.example',
      'Subject: Undeliverable: the mail that comes back',
    ],
    'Your message',
    '',
    '  To:      ann@example.com',
    '  Subject: the mail that comes back',
    '',
    'did not reach the following recipient(s):',
    '',
    'ann@example.com on Wed, 25 Nov 2026 10:00:00 +0000',
    '    The recipient name is not recognized',
    '    The MTS-ID of the original message is: c=us;a= ;p=x;l=MX',
    '    MSEXCH:IMS:X:X:MX 0 (000C05A6) Unknown Recipient',
  ),
  'Lotus Domino': plain(
    [
      'From: Postmaster@mx.example.net',
      'To: bounce@sender.example',
      'Subject: DELIVERY FAILURE: User ann (ann@example.com) not listed in Domino Directory',
    ],
    'Your message',
    '',
    '  Subject: the mail that comes back',
    '',
    'was not delivered to:',
    '',
    '  ann@example.com',
    '',
    'because:',
    '',
    '  User ann (ann@example.com) not listed in Domino Directory',
  ),
  'text of Postfix': plain(
    [
      'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
      'To: bounce@sender.example',
      'Subject: Undelivered Mail Returned to Sender',
    ],
    'This is the mail system at host mx.example.net.',
    '',
    "I'm sorry to have to inform you that your message could not",
    'be delivered to one or more recipients.',
    '',
    '<ann@example.com>: host mx.example.com[203.0.113.7] said: 550 5.1.1 User unknown',
    '    (in reply to RCPT TO command)',
  ),
};
