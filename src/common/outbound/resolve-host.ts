import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';

/** How long a name server may take, and how often it is asked. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Codes of a name that no name server has, which the hosts file may have. */
const UNKNOWN = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED'];

/**
 * Returns all addresses of a host. Asks name servers by itself: the system's own look-up holds one of the few threads that the process
 * has for files and names, for as long as the name server of a tenant is slow. It is asked where no name server knows the name.
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
