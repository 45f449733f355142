import { saysGone } from '../../transport/failure-kinds.js';
import { readStatus } from './delivery-status.js';
import { type MailParts, readMail } from './mail-parts.js';
import { plainRecipients, reportLines } from './plain-reports.js';
import { DELIVERED, type NoReport, type ReadRecipients, type Report, type ReportedRecipient } from './report.js';
import { fieldGroups } from './fields.js';

const MAX_START = 4_096;

/** Matches senders of reports, by local part or name, or without an address. */
const POSTMAN =
  /<>|mailer[-_. ]?daemon|post[-_ ]?master|mail[-_. ]?daemon|mdaemon|mail delivery|delivery (sub)?system|bounce|mailer|system administrator|auto-?notif/i;
/** Matches a report of a failure or a delay, by its subject or beginning. */
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
/** Matches subjects of automatic replies in the common languages. */
const AUTOMATIC = new RegExp(
  [
    String.raw`^auto(matic)?:|out of (the )?office|auto(matic|matische|matisch|matisk|mated)?[-_ ]?(reply|response|antwort|antwoord|responder|answer|svar)|vacation|on leave|away from`,
    String.raw`abwesen|afwezig|r[ée]ponse automatique|risposta automatica|respuesta autom|resposta autom|automaattinen vastaus|automatick. odpov|odpowied. automatyczna|automatikus v.lasz|r.spuns automat|otomatik yan`,
    String.raw`автоматический ответ|автоответ|αυτόματη απάντηση|自动(答复|回复)|自動(回覆|回复|応答|返信)|자동 ?(회신|응답)`,
  ].join('|'),
  'i',
);
/** Matches subjects of replies, which are never reports. */
const ANSWER = /^(re|aw|antw|sv|vs|odp|r|rif|res|ynt|回复|回覆|答复)(\[\d+\])?\s*[:：]/i;

/**
 * Parses a bounce or complaint report: RFC 3464, RFC 5965, or free text of a mail server, also if forwarded as an attached mail. Rejects
 * automatic replies, personal mails and reports of successful delivery.
 */
export async function readReport(bytes: Uint8Array): Promise<Report> {
  const mail = await readMail(bytes);
  if (!mail) return { noReport: 'is nested too deeply, or its headers are too long' };
  const own = inParts(mail);
  const forwarded = own ? undefined : await readForwarded(mail);
  const found = own ?? forwarded ?? inWords(mail);
  return 'noReport' in found ? found : { ...found, text: mail.whole };
}

/** Parses the report in the first attached mail. */
async function readForwarded(mail: MailParts): Promise<ReadRecipients | NoReport | undefined> {
  const attached = mail.part('message/rfc822');
  const within = attached === undefined ? undefined : await readMail(Buffer.from(attached, 'latin1'));
  return within && inParts(within);
}

/** Parses the machine-readable parts of a report. Returns undefined without such parts. */
function inParts(mail: MailParts): ReadRecipients | NoReport | undefined {
  const feedback = mail.part('message/feedback-report');
  if (feedback !== undefined) {
    const complaint = complaintIn(feedback);
    if (!('kind' in complaint)) return { noReport: 'is a feedback report of another type than a complaint' };
    return { recipients: [complaint], reached: [] };
  }
  const status = mail.part('message/delivery-status', 'message/global-delivery-status');
  if (status === undefined) return undefined;
  const read = readStatus(status, reportLines(mail.text).join('\n'));
  if (read.recipients.length > 0) return read;
  return /^action[ \t]*:/im.test(status) ? { noReport: DELIVERED } : undefined;
}

function inWords(mail: MailParts): ReadRecipients | NoReport {
  if (!isFailure(mail)) return { noReport: 'is not a report of a mail server' };
  return { recipients: plainRecipients(mail, isDelay(mail)), reached: [] };
}

function isFailure(mail: MailParts): boolean {
  const { subject } = mail;
  const start = startOf(mail);
  if (mail.header('x-failed-recipients').length > 0) return true;
  const isPostman = isStatusReport(mail) || [...mail.header('from'), ...mail.header('sender')].some((from) => POSTMAN.test(from));
  if (isAutomatic(mail, isPostman)) return false;
  const isOfServer = isPostman || mail.header('return-path')[0] === '<>';
  if (FAILED.test(subject)) return isOfServer || FAILED.test(start);
  return isOfServer && (FAILED.test(start) || isDelay(mail) || saysGone(`${subject}\n${start}`));
}

const isStatusReport = (mail: MailParts): boolean => /report-type="?delivery-status/i.test(mail.header('content-type')[0] ?? '');

/**
 * Returns true for an automatic reply (RFC 3834), such as a vacation note. Reports share some of its headers, and some autoresponders use
 * the empty return path of reports: then the sender decides.
 */
function isAutomatic(mail: MailParts, isPostman: boolean): boolean {
  const [submitted = '', precedence = ''] = ['auto-submitted', 'precedence'].map((name) => mail.header(name)[0] ?? '');
  if (AUTOMATIC.test(mail.subject) || /auto[_-]?reply/i.test(precedence) || /vacation/i.test(submitted)) return true;
  if (['x-autoreply', 'x-autorespond', 'x-autoresponder'].some((name) => mail.header(name).length > 0)) return true;
  if (isPostman) return false;
  if (/auto-replied/i.test(submitted)) return true;
  const isMarked = /^(bulk|junk|list)\b/i.test(precedence.trim()) || mail.header('x-auto-response-suppress').length > 0;
  return (isMarked || ANSWER.test(mail.subject)) && !(FAILED.test(mail.subject) && FAILED.test(startOf(mail)));
}

const startOf = (mail: MailParts): string => mail.text.slice(0, MAX_START);

const isDelay = (mail: MailParts): boolean => DELAYED_SUBJECT.test(mail.subject) || DELAYED_TEXT.test(startOf(mail));

/** Feedback types (RFC 5965) that are complaints. */
const COMPLAINTS = ['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list'];

/** Returns the complaint of a feedback report (ARF, RFC 5965), or the type of any other report. */
function complaintIn(text: string): ReportedRecipient | { type: string } {
  const fields = fieldGroups(text, 1)[0];
  const type = (fields?.get('feedback-type') ?? '').toLowerCase();
  if (!COMPLAINTS.includes(type)) return { type };
  const address = (fields?.get('original-rcpt-to') ?? fields?.get('removal-recipient'))?.replaceAll(/^<|>$/g, '');
  const by = fields?.get('user-agent') ?? fields?.get('source-ip');
  return {
    addresses: address ? [address] : [],
    kind: 'COMPLAINT',
    code: null,
    diagnostic: by ? `${type}, reported by ${by}` : type,
  };
}
