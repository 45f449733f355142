import type { EmailSuppression, SuppressionReason } from '../../../../clients/js/src/generated/email';
import { usePages } from '../../ui/use-pages';

const PAGE = 100;
export const SUPPRESSIONS = ['email', 'suppressions'] as const;

export type Suppression = Omit<EmailSuppression, '__typename'>;

/** Filters of suppressions, as in the URL. */
export interface SuppressionFilter {
  address?: string | undefined;
  reason?: string | undefined;
  list?: string | undefined;
}

/** The suppressions that match a filter, newest first. */
export function useSuppressions({ address, reason, list }: SuppressionFilter, isEnabled = true) {
  const filter = {
    ...(address && { address }),
    ...(reason && { reason: reason as SuppressionReason }),
    ...(list && { list }),
  };
  return usePages<Suppression>({
    queryKey: [...SUPPRESSIONS, filter],
    read: ({ email }, nextToken, signal) => email.suppressions({ filter, limit: PAGE, nextToken }, undefined, { signal }),
    isEnabled,
    live: 'email',
  });
}

/** Encodes an address as a path segment. The router decodes once, so `%` is encoded twice. */
export const segmentOf = (address: string): string => encodeURIComponent(address.replaceAll('%', '%25'));

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
