import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api-context';
import { keptLive } from '../../api/live';

/** Reads verified and pending sender addresses. */
export function useSenders(isEnabled: boolean) {
  const { email } = useApi();
  return useQuery({
    queryKey: ['email', 'senders'],
    queryFn: ({ signal }) => email.emailIdentities({}, undefined, { signal }),
    enabled: isEnabled,
    meta: keptLive('email', (senders: readonly { status: string | null }[]) =>
      senders.some(({ status }) => status === 'PENDING'),
    ),
  });
}

export type Sender = NonNullable<ReturnType<typeof useSenders>['data']>[number];

/** The path of a sender within the room. */
export const senderPath = (address: string): string => `/senders/${encodeURIComponent(address)}`;

/** Returns whether a path segment, as given by the router, is an address. */
export const isNamedBy = (address: string, part: string): boolean =>
  part === address || part === decodeURI(encodeURIComponent(address));
