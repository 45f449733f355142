import { useRead } from '../../api/use-read';

export const SENDERS = ['email', 'senders'] as const;

/** Reads verified and pending sender addresses. */
export function useSenders(isEnabled: boolean) {
  return useRead({
    queryKey: SENDERS,
    read: ({ email }, signal) => email.emailIdentities({}, undefined, { signal }),
    enabled: isEnabled,
    live: 'email',
    isOnItsWay: (senders: readonly { status: string | null }[]) => senders.some(({ status }) => status === 'PENDING'),
  });
}

export type Sender = NonNullable<ReturnType<typeof useSenders>['data']>[number];

/** Returns whether a path segment, as given by the router, is an address. */
export const isNamedBy = (address: string, part: string): boolean =>
  part === address || part === decodeURI(encodeURIComponent(address));
