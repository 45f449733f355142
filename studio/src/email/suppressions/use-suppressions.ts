import { useQueryClient } from '@tanstack/react-query';
import type { EmailSuppression, SuppressionReason } from '../../../../clients/js/src/generated/email';
import { useApi } from '../../api/api-context';
import { usePages } from '../../ui/use-pages';

const PAGE = 100;
const QUERY = ['email', 'suppressions'] as const;

export type Suppression = Omit<EmailSuppression, '__typename'>;

/** Filters of suppressions, as in the URL. */
export interface SuppressionFilter {
  address?: string | undefined;
  reason?: string | undefined;
  list?: string | undefined;
}

/** The suppressions that match a filter, newest first. */
export function useSuppressions({ address, reason, list }: SuppressionFilter, isEnabled = true) {
  const { email } = useApi();
  const filter = {
    ...(address && { address }),
    ...(reason && { reason: reason as SuppressionReason }),
    ...(list && { list }),
  };
  return usePages<Suppression>({
    queryKey: [...QUERY, filter],
    read: (nextToken, signal) => email.suppressions({ filter, limit: PAGE, nextToken }, undefined, { signal }),
    isEnabled,
    live: 'email',
  });
}

/** Reads the suppressions again after a change. */
export function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: QUERY });
}

/** Returns the path of an address within the room. The router decodes once, so `%` is encoded twice. */
export const suppressionPath = (address: string): string => `/suppressions/${encodeURIComponent(address.replaceAll('%', '%25'))}`;

/** Returns the address of a path segment, as given by the router. */
export function addressIn(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the mails that a suppression applies to. */
export const wordOfList = (list: string | null): string => (list === null ? 'All emails' : `List ${list}`);
