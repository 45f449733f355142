import { codeIn, kindOf } from '../../transport/failure-kinds.js';
import { type Fields, fieldGroups } from './fields.js';
import { MAX_RECIPIENTS, type ReadRecipients, type ReportedRecipient } from './report.js';

const STATUS = /\b[245]\.\d{1,3}\.\d{1,3}\b/;
/** Actions (RFC 3464) of recipients reached directly, or through a server that reports no further. */
const REACHED = ['delivered', 'relayed', 'expanded'];

/**
 * Parses a delivery status (RFC 3464) into recipients not reached, and addresses reached. `words` of the report decide the meaning of a
 * vague code without a quoted reply.
 */
export function readStatus(text: string, words: string): ReadRecipients {
  const found = new Map<string, ReportedRecipient>();
  const reached = new Set<string>();
  for (const group of fieldGroups(text, MAX_RECIPIENTS + 1)) {
    const addresses = addressesOf(group);
    if (REACHED.includes(actionOf(group))) for (const address of addresses) reached.add(address.toLowerCase());
    const recipient = recipientOf(group, addresses, words);
    const key = recipient?.addresses.at(-1)?.toLowerCase() ?? '';
    if (recipient && !found.has(key)) found.set(key, recipient);
  }
  if (found.size > 1) found.delete(''); // fields of the message as a whole
  return { recipients: [...found.values()], reached: [...reached] };
}

const actionOf = (group: Fields): string => (group.get('action') ?? '').toLowerCase().split(/[^a-z]/, 1)[0]!;

function addressesOf(group: Fields): string[] {
  const names = ['original-recipient', 'final-recipient', 'x-actual-recipient'];
  return [...new Set(names.flatMap((name) => addressIn(group.get(name)) ?? []))];
}

function recipientOf(group: Fields, addresses: string[], words: string): ReportedRecipient | undefined {
  const action = actionOf(group);
  const status = STATUS.exec(group.get('status') ?? '')?.[0];
  if ((addresses.length === 0 && !action) || REACHED.includes(action)) return undefined;
  const diagnostic = withoutType(group.get('diagnostic-code')) ?? null;
  const code = moreSpecific(status, codeIn(diagnostic ?? ''));
  if ((!action && !code) || code?.startsWith('2')) return undefined;
  const isDelayed = action === 'delayed' || (!action && code?.startsWith('4') === true);
  return { addresses, kind: isDelayed ? 'DELAYED' : kindOf(code, diagnostic ?? words, words), code, diagnostic };
}

/** Returns the more specific status: one such as 5.0.0 says only that delivery failed. */
function moreSpecific(status: string | undefined, inDiagnostic: string | null): string | null {
  if (status === undefined || (inDiagnostic !== null && /^[245]\.0\.0$/.test(status))) return inDiagnostic ?? status ?? null;
  return status;
}

function addressIn(field: string | undefined): string | undefined {
  const address = withoutType(field)?.replaceAll(/^<|>$/g, '');
  return address?.includes('@') ? address : undefined;
}

/** Removes the type prefix of an address or diagnostic, as in `smtp; 550 …`, and comments after an address. */
const withoutType = (field: string | undefined): string | undefined =>
  field?.replace(/^[A-Za-z0-9-]{1,40}[ \t]*;[ \t]*/, '').trim() || undefined;
