import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** Longest address of a request, in characters. */
const MAX_URL = 2_000;

/** Addresses of IPv6 that are assigned to networks (RFC 4291): all others, such as the IPv4-compatible ones, are refused. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Address inside of each machine of Azure that answers with credentials, though its range is a public one. */
const PUBLIC_METADATA = '168.63.129.16';

/** Decides which addresses may be called: public ones by default, and those of networks that the operator allows. */
export class NetworkGuard {
  private readonly allowed: Range[];

  constructor(
    allowedNetworks: readonly string[],
    private readonly allowHttp: boolean,
  ) {
    this.allowed = allowedNetworks.map(rangeOf);
  }

  /** Returns the problem of a URL, judged by its text alone; undefined if it is fine. A name in it is judged when it is resolved. */
  problemOf(text: string): string | undefined {
    if (text.length > MAX_URL) return `must have at most ${MAX_URL.toLocaleString('en')} characters`;
    const schemes = this.allowHttp ? /^https?:\/\//i : /^https:\/\//i;
    if (!schemes.test(text)) return `must begin with https://${this.allowHttp ? ' or http://' : ''}`;
    if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return 'must be a URL, such as https://example.com/hooks';
    if (text.includes('#')) return 'must have no fragment (#…)';
    if (/^[^/]*\/\/[^/?]*@/.test(text)) return 'must have no user or password';
    const host = hostOf(new URL(text));
    return isIP(host) !== 0 && !this.mayCall(host) ? 'must not be at an address that is private, local or reserved' : undefined;
  }

  /** Returns whether an IP address may be called. */
  mayCall(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = unmapped(ipaddr.parse(text));
    return isPublic(address) || this.allowed.some((range) => address.kind() === range[0].kind() && address.match(range));
  }
}

/** Returns the host of a URL as it is connected to: IPv6 addresses without their brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns the IPv4 address in an IPv4-mapped IPv6 address, to which the system connects for it; any other address as it is. */
const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/** Returns whether an address is one of the internet. Ranges that carry IPv4 addresses (NAT64, 6to4, Teredo) are not unicast here. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : address.toString() !== PUBLIC_METADATA;
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = unmapped(ipaddr.parse(text));
  return [address, address.kind() === 'ipv6' ? 128 : 32];
}
