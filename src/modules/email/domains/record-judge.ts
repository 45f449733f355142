import type { DnsLookups, LookedUp } from './dns-lookups.js';
import type { FoundRecord, RecordToSet } from './domain-records.js';
import { DnsRecordPurpose, DnsRecordState } from './email-domain.model.js';
import { MAX_FOUND, MAX_VALUE } from './limits.js';

/** Parent domains queried for a DMARC record. */
const MAX_PARENTS = 4;
const SPF = /^v=spf1(?: |$)/i;
const DMARC = /^v=DMARC1\s*(?:;|$)/i;

/** Looks up a record, and compares it with the expected value. */
export async function judge(record: RecordToSet, lookups: DnsLookups): Promise<FoundRecord> {
  const { purpose, type, name, value } = record;
  if (purpose === DnsRecordPurpose.DMARC) return policyOf(name, lookups);
  const all = await (type === 'CNAME' ? lookups.cname(name) : lookups.txt(name));
  if (purpose !== DnsRecordPurpose.SPF) return outcome(all, (values) => matches(record, values));
  return outcome(
    all?.filter((text) => SPF.test(text)),
    ([text, ...more]) => more.length === 0 && hasMechanisms(text!, value),
  );
}

/** Finds the DMARC policy of a domain or of its nearest parent. */
async function policyOf(name: string, lookups: DnsLookups): Promise<FoundRecord> {
  const labels = name.split('.').slice(1);
  let first: FoundRecord | undefined;
  for (let at = 0; at <= MAX_PARENTS && labels.length - at >= 2; at++) {
    const all = await lookups.txt(['_dmarc', ...labels.slice(at)].join('.'));
    const found = outcome(
      all?.filter((text) => DMARC.test(text)),
      ({ length }) => length === 1,
    );
    if (found.state !== DnsRecordState.MISSING) return found;
    first ??= found;
  }
  return first!;
}

function outcome(values: LookedUp, isRight: (values: string[]) => boolean): FoundRecord {
  if (values === undefined) return { state: DnsRecordState.UNKNOWN, found: [] };
  if (values.length === 0) return { state: DnsRecordState.MISSING, found: [] };
  const state = isRight(values) ? DnsRecordState.FOUND : DnsRecordState.DIFFERENT;
  return { state, found: values.slice(0, MAX_FOUND).map(shown) };
}

function matches({ purpose, value }: RecordToSet, values: string[]): boolean {
  if (purpose !== DnsRecordPurpose.DKIM) return values.some((text) => text.trim() === value);
  // Several keys at one name are ambiguous (RFC 6376, 3.6.2.2).
  return values.length === 1 && isSameKey(values[0]!, value);
}

/** Compares key records semantically: white space and tag order are irrelevant. */
function isSameKey(text: string, value: string): boolean {
  const [found, wanted] = [tagsOf(text), tagsOf(value)];
  if (!found || (found.get('v') ?? 'DKIM1') !== 'DKIM1') return false;
  const lists = (tag: string, word: string): boolean =>
    (found.get(tag) ?? '*').split(':').some((one) => one === '*' || one === word);
  const allowsHash = found.get('h') === undefined || lists('h', 'sha256');
  return (
    (found.get('k') ?? 'rsa') === wanted!.get('k') && found.get('p') === wanted!.get('p') && allowsHash && lists('s', 'email')
  );
}

/** Parses a tag list (RFC 6376, 3.2) without white space. Returns undefined if it is invalid. */
function tagsOf(text: string): Map<string, string> | undefined {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [, name, value] = /^\s*([A-Za-z]\w*)\s*=(.*)$/s.exec(part) ?? [];
    if (name === undefined || tags.has(name)) return undefined;
    tags.set(name, value!.replaceAll(/\s+/g, ''));
  }
  return tags;
}

/** Returns true if an SPF record contains the mechanisms of another one before "all": verifiers ignore the rest (RFC 7208, 5.1). */
function hasMechanisms(text: string, value: string): boolean {
  const terms = text
    .toLowerCase()
    .split(/ +/)
    .map((term) => term.replace(/^\+/, ''));
  const end = terms.findIndex((term) => /^[-~?]?all$/.test(term));
  const found = new Set(end === -1 ? terms : terms.slice(0, end));
  return value
    .split(' ')
    .slice(1, -1)
    .every((term) => found.has(term));
}

const shown = (text: string): string => text.replaceAll(/[^ -~]/g, '\uFFFD').slice(0, MAX_VALUE);
