import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api-context';

const BUSY_MS = 3_000;
const CALM_MS = 30_000;

/** The addresses that the tenant may send from, or asked to. A click on a link in an inbox is seen within seconds. */
export function useSenders(isEnabled: boolean) {
  const { email } = useApi();
  return useQuery({
    queryKey: ['email', 'senders'],
    queryFn: ({ signal }) => email.emailIdentities({}, undefined, { signal }),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'PENDING') ? BUSY_MS : CALM_MS),
  });
}

export type Sender = NonNullable<ReturnType<typeof useSenders>['data']>[number];

/** The path of a sender within the room. */
export const senderPath = (address: string): string => `/senders/${encodeURIComponent(address)}`;

/** Whether a part of a path, as the router gives it, names an address. */
export const isNamedBy = (address: string, part: string): boolean =>
  part === address || part === decodeURI(encodeURIComponent(address));
