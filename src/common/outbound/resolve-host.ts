import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';

/** Timeout of a name server, and number of attempts. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Codes of a name unknown to all name servers, but possibly in the hosts file. */
const UNKNOWN = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED'];

/**
 * Returns all addresses of a host. Queries name servers itself: the system's lookup would occupy one of the few threads for files and
 * names while the name server of a tenant is slow. Falls back to the system for names unknown to the name servers.
 */
export async function resolveHost(
  host: string,
  resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }),
): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  const faults = [four, six].flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []));
  const silent = faults.find(({ code }) => !UNKNOWN.includes(code ?? ''));
  if (silent) throw silent;
  return lookup(host, { all: true });
}
