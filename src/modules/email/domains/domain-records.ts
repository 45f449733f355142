import { type Algorithm, ALGORITHMS, type KeyTexts, selectorOf } from './domain-keys.js';
import { returnPathOf } from '../bounces/return-paths.js';
import { DnsRecordPurpose, DnsRecordState, type EmailDomain, type EmailDomainStatus } from './email-domain.model.js';
import type { EmailDomainRow } from './email-domain-row.js';

/** Operator settings for the records of domains. */
export interface RecordSettings {
  /** Mechanisms required in SPF records. */
  spf?: string;
  returnPathDomain?: string;
}

/** DNS record to set for a domain. */
export interface RecordToSet {
  purpose: DnsRecordPurpose;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
  /** Key of a DKIM record, from the current, next or previous generation. */
  key?: { of: 'present' | 'next' | 'previous'; algorithm: Algorithm };
  keepUntil: Date | null;
}

/** Result of a check of one record. */
export interface FoundRecord {
  state: DnsRecordState;
  found: string[];
}

/** Returns the records of a domain, starting with the required ones and those of keys. */
export function recordsOf(row: EmailDomainRow, { spf, returnPathDomain }: RecordSettings, now = new Date()): RecordToSet[] {
  const { domain, previousUntil } = row;
  const txt = (purpose: DnsRecordPurpose, name: string, value: string): RecordToSet => {
    return { purpose, type: 'TXT', name, value, keepUntil: null };
  };
  const records = [
    txt(DnsRecordPurpose.OWNERSHIP, `_platform-services.${domain}`, `platform-services=${row.ownershipToken}`),
    ...dkimRecords(domain, 'present', row.selector, row.publicKeys),
    ...dkimRecords(domain, 'next', row.nextSelector, row.nextPublicKeys),
  ];
  if (spf !== undefined) records.push(txt(DnsRecordPurpose.SPF, domain, `v=spf1 ${spf} ~all`));
  records.push(txt(DnsRecordPurpose.DMARC, `_dmarc.${domain}`, 'v=DMARC1; p=none'));
  if (returnPathDomain !== undefined) {
    const to = { type: 'CNAME', name: returnPathOf(domain), value: returnPathDomain, keepUntil: null } as const;
    records.push({ purpose: DnsRecordPurpose.RETURN_PATH, ...to });
  }
  if (previousUntil === null || previousUntil <= now) return records;
  const old = dkimRecords(domain, 'previous', row.previousSelector, row.previousPublicKeys);
  return [...records, ...old.map((record) => ({ ...record, keepUntil: previousUntil }))];
}

/** Converts a row for callers. */
export function toDomain(row: EmailDomainRow, settings: RecordSettings): EmailDomain {
  const found = foundOf(row);
  const records = recordsOf(row, settings).map((record) => {
    const { purpose, type, name, value, keepUntil } = record;
    const { state, found: values } = found.get(keyOf(record)) ?? { state: DnsRecordState.UNKNOWN, found: [] };
    return { purpose, type, name, value, state, found: values, keepUntil };
  });
  const { domain, createdAt, verifiedAt, checkedAt, dueAt: nextCheckAt, lastError } = row;
  return { domain, status: row.status as EmailDomainStatus, records, createdAt, verifiedAt, checkedAt, nextCheckAt, lastError };
}

/** Returns the key of a record within its domain. */
export const keyOf = ({ purpose, name }: Pick<RecordToSet, 'purpose' | 'name'>): string => `${purpose} ${name}`;

/** Returns the results of the latest check. */
function foundOf({ found }: Pick<EmailDomainRow, 'found'>): Map<string, FoundRecord> {
  return new Map(Object.entries(JSON.parse(found ?? '{}') as Record<string, FoundRecord>));
}

function dkimRecords(
  domain: string,
  of: NonNullable<RecordToSet['key']>['of'],
  selector: string | null,
  publicKeys: string | null,
): RecordToSet[] {
  if (selector === null || publicKeys === null) return [];
  const texts = JSON.parse(publicKeys) as KeyTexts;
  return ALGORITHMS.map((algorithm) => ({
    purpose: DnsRecordPurpose.DKIM,
    type: 'TXT',
    name: `${selectorOf(selector, algorithm)}._domainkey.${domain}`,
    value: `v=DKIM1; k=${algorithm}; p=${texts[algorithm]}`,
    key: { of, algorithm },
    keepUntil: null,
  }));
}
