import { saysGone } from './failure-kinds.js';
import { statusRecipients } from './delivery-status.js';
import { complaintIn } from './feedback-report.js';
import { type MailParts, readMail } from './mail-parts.js';
import { plainRecipients, reportLines } from './plain-reports.js';
import type { Report, ReportedRecipient } from './report.js';

const MAX_START = 4_096;

/** Senders of reports, by the part before the @ or the name. */
const POSTMAN =
  /mailer[-_. ]?daemon|post[-_ ]?master|mail[-_. ]?daemon|mdaemon|mail delivery|delivery (sub)?system|bounce|mailer|system administrator|auto-?notif/i;
/** What a report of a failure or a delay says of itself, in its subject or at its beginning. */
const FAILED = new RegExp(
  [
    String.raw`undeliver(able|ed)|non[- ]?deliver|\bndn\b|failure (notice|notification)|delivery[- ](status|failure|failed|has failed|report|problem|error|unsuccessful|notification|warning)`,
    String.raw`returned (mail|message|to sender)|return(ed)? to sender|failed mail|mail (delivery )?(failed|failure|error|status report)|message (status|undeliverable|returned)`,
    String.raw`(could|can|was|were|has|have|did|is|be)( ?not|n't|n.t) (be |been |yet been )?(deliver|sent|reach|send)|unable to deliver|failed to deliver|not (be )?delivered|failed permanently|permanent(ly)? (fatal )?(error|fail)|automatically rejected`,
    String.raw`unzustellbar|nicht zugestellt|no se (ha )?(pudo|puede) entregar|non (remis|distribu)|impossibile|mancato recapito|não (foi )?entregue|fehlgeschlagen|onbestelbaar`,
  ].join('|'),
  'i',
);
const DELAYED_SUBJECT = /\b(delay(ed)?|deferred|warning: (could not|message)|delivery warning|delivery incomplete)\b/i;
const DELAYED_TEXT =
  /still being retried|not yet been delivered|will (keep|continue)( on)? (to )?(try|be made)|attempts will continue|warning message only|advisory-only|will be retried|no action is required on your part/i;
const AUTOMATIC =
  /out of (the )?office|auto(matic|matische|mated)?[-_ ]?(reply|response|antwort|responder|answer)|vacation|on leave|abwesen|r[ée]ponse automatique|away from|risposta automatica|respuesta autom/i;

/**
 * Reads a report of a bounce or a complaint: RFC 3464, RFC 5965, or the words of a mail server. Automatic replies, mails of persons,
 * and reports that a mail was delivered are none.
 */
export async function readReport(bytes: Uint8Array): Promise<Report> {
  const mail = await readMail(bytes);
  if (!mail) return { noReport: 'is nested too deeply, or its headers are too long' };
  const found = recipientsOf(mail);
  return Array.isArray(found) ? { recipients: found, text: mail.whole } : found;
}

function recipientsOf(mail: MailParts): ReportedRecipient[] | { noReport: string } {
  const feedback = mail.part('message/feedback-report');
  if (feedback !== undefined) {
    const complaint = complaintIn(feedback);
    return 'kind' in complaint ? [complaint] : { noReport: 'is a feedback report of another type than a complaint' };
  }
  const status = mail.part('message/delivery-status', 'message/global-delivery-status');
  if (status !== undefined) {
    const recipients = statusRecipients(status, reportLines(mail.text).join('\n'));
    if (recipients.length > 0) return recipients;
    if (/^action[ \t]*:/im.test(status)) return { noReport: 'says that the email was delivered' };
  }
  return isFailure(mail) ? plainRecipients(mail, isDelay(mail)) : { noReport: 'is no report of a mail server' };
}

function isFailure(mail: MailParts): boolean {
  const { subject } = mail;
  const start = mail.text.slice(0, MAX_START);
  if (mail.header('x-failed-recipients').length > 0) return true;
  const isPostman = [...mail.header('from'), ...mail.header('sender')].some((from) => POSTMAN.test(from));
  const isOfServer = isPostman || mail.header('return-path')[0] === '<>' || isStatusReport(mail);
  if (isAutomatic(mail, isOfServer)) return false;
  if (FAILED.test(subject)) return isOfServer || FAILED.test(start);
  return isOfServer && (FAILED.test(start) || isDelay(mail) || saysGone(`${subject}\n${start}`));
}

const isStatusReport = (mail: MailParts): boolean => /report-type="?delivery-status/i.test(mail.header('content-type')[0] ?? '');

function isAutomatic(mail: MailParts, isOfServer: boolean): boolean {
  if (AUTOMATIC.test(mail.subject)) return true;
  const marks = ['x-autoreply', 'x-autorespond', 'x-autoresponder'];
  if (marks.some((name) => mail.header(name).length > 0) || /auto[_-]?reply/i.test(mail.header('precedence')[0] ?? ''))
    return true;
  return !isOfServer && /auto-replied/i.test(mail.header('auto-submitted')[0] ?? '');
}

const isDelay = (mail: MailParts): boolean =>
  DELAYED_SUBJECT.test(mail.subject) || DELAYED_TEXT.test(mail.text.slice(0, MAX_START));
