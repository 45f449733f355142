import { isIP } from 'node:net';
import { z } from 'zod';

/** `true`, `false`, or a comma-separated list of addresses and CIDR ranges. A number of hops is not accepted: it could be spoofed. */
export const trustProxy = z
  .string()
  .transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text.split(',').map((part) => part.trim())))
  .refine(
    (value) => typeof value === 'boolean' || value.every(isAddressOrRange),
    'TRUST_PROXY must be true, false, or a comma-separated list of addresses or CIDR ranges',
  );

export function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}
