import { useRead } from '../../api/use-read';
import type { DnsRecord, EmailDomain } from '../../../../clients/js/src/generated/email';

export const DOMAINS = ['email', 'domains'] as const;

export type Entry = Omit<DnsRecord, '__typename'>;
export type Domain = Omit<EmailDomain, '__typename' | 'records'> & { records: readonly Entry[] | null };

/** Reads the domains of the tenant, by name; there are at most as many as a page holds. */
export function useDomains(isEnabled = true) {
  return useRead({
    queryKey: DOMAINS,
    read: async ({ email }, signal): Promise<readonly Domain[]> => (await email.emailDomains({}, undefined, { signal })).items,
    enabled: isEnabled,
    live: 'email',
    isOnItsWay: (domains: readonly Domain[]) => domains.some(isAwaited),
  });
}

/** Returns whether new keys wait for their record. */
export const isRotating = ({ records }: Domain): boolean => new Set(currentKeys(records).map(selectorOf)).size > 1;

/** Identifies a record among those of its domain. */
export function wordOfRecord(record: Entry, { records }: Domain): string {
  if (record.purpose !== 'DKIM') return record.purpose ? PURPOSES[record.purpose].word : '';
  const word = isEd25519(record) ? 'DKIM (Ed25519)' : 'DKIM (RSA)';
  if (record.keepUntil) return `${word}, old key`;
  const [signing] = currentKeys(records);
  return signing && selectorOf(record) !== selectorOf(signing) ? `${word}, new key` : word;
}

/** Returns whether a record is required for verification. */
export const isNeeded = (record: Entry): boolean =>
  Boolean(record.purpose && PURPOSES[record.purpose].isNeeded) && !isEd25519(record);

/** Identifies keys that were created together, one per algorithm. */
const selectorOf = ({ name }: Entry): string => name?.replace(/-[a-z0-9]+\._domainkey\..*/, '') ?? '';

const isEd25519 = ({ purpose, value }: Entry): boolean => purpose === 'DKIM' && Boolean(value?.includes('k=ed25519'));

/** Returns the records of active keys, then those of the next ones. */
const currentKeys = (records: Domain['records']): Entry[] =>
  (records ?? []).filter(({ purpose, keepUntil }) => purpose === 'DKIM' && keepUntil === null);

const isAwaited = (domain: Domain): boolean => domain.status === 'PENDING' || isRotating(domain);

interface Purpose {
  word: string;
  about: string;
  isNeeded: boolean;
}

export const PURPOSES: Readonly<Record<NonNullable<Entry['purpose']>, Purpose>> = {
  OWNERSHIP: { word: 'Ownership', about: 'Proves that you own the domain.', isNeeded: true },
  DKIM: { word: 'DKIM', about: 'Verifies the signature of each email.', isNeeded: true },
  SPF: { word: 'SPF', about: 'Allows the mail server to send for the domain.', isNeeded: false },
  DMARC: { word: 'DMARC', about: 'Sets what happens to emails that fail SPF and DKIM.', isNeeded: false },
  RETURN_PATH: { word: 'Return path', about: 'Sends bounces to your domain and aligns SPF.', isNeeded: false },
};
