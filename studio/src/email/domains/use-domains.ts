import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DnsRecord, EmailDomain } from '../../../../clients/js/src/generated/email';
import { useApi } from '../../api/api-context';

const BUSY_MS = 5_000;
const CALM_MS = 30_000;
const QUERY = ['email', 'domains'] as const;

export type Entry = Omit<DnsRecord, '__typename'>;
export type Domain = Omit<EmailDomain, '__typename' | 'records'> & { records: readonly Entry[] | null };

/** The domains of the tenant, by their names; there are at most as many as a page holds. */
export function useDomains(isEnabled = true) {
  const { email } = useApi();
  return useQuery({
    queryKey: QUERY,
    queryFn: async ({ signal }): Promise<readonly Domain[]> => (await email.emailDomains({}, undefined, { signal })).items,
    enabled: isEnabled,
    refetchInterval: ({ state }) => (state.data?.some(isAwaited) ? BUSY_MS : CALM_MS),
  });
}

/** Reads the domains again after a change. */
export function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: QUERY });
}

/** Whether new keys wait until their record is found. */
export const isRotating = ({ records }: Domain): boolean => currentKeys(records).length > 1;

/** Names a record among those of its domain. */
export function wordOfRecord(record: Entry, { records }: Domain): string {
  const word = record.purpose ? PURPOSES[record.purpose].word : '';
  if (record.keepUntil) return `${word}, old key`;
  return currentKeys(records).indexOf(record) > 0 ? `${word}, new key` : word;
}

/** The records of the keys that sign, and after them of those that will. */
const currentKeys = (records: Domain['records']): Entry[] =>
  (records ?? []).filter(({ purpose, keepUntil }) => purpose === 'DKIM' && keepUntil === null);

const isAwaited = (domain: Domain): boolean => domain.status === 'PENDING' || isRotating(domain);

interface Purpose {
  word: string;
  about: string;
  /** Whether a domain is verified only with it. */
  isNeeded: boolean;
}

export const PURPOSES: Readonly<Record<NonNullable<Entry['purpose']>, Purpose>> = {
  OWNERSHIP: { word: 'Ownership', about: 'Shows that the domain is yours.', isNeeded: true },
  DKIM: { word: 'DKIM', about: 'Verifies the signature of each mail.', isNeeded: true },
  SPF: { word: 'SPF', about: 'Lets the mail server send for the domain.', isNeeded: false },
  DMARC: { word: 'DMARC', about: 'Says what happens to mails that fail SPF and DKIM.', isNeeded: false },
  RETURN_PATH: { word: 'Return path', about: 'Returns bounces to your domain, so that SPF covers it.', isNeeded: false },
};
