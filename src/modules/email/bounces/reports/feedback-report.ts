import { fieldGroups } from './fields.js';
import type { ReportedRecipient } from './report.js';

/** Feedback types (RFC 5965) that are complaints. */
const COMPLAINTS = ['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list'];

/** Returns the complaint of a feedback report (ARF, RFC 5965), or the type of any other report. */
export function complaintIn(text: string): ReportedRecipient | { type: string } {
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
