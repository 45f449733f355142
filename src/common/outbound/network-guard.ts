import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** Maximum length of a URL, in characters. */
const MAX_URL = 2_000;

/** IPv6 addresses assigned to networks (RFC 4291). All others, such as the IPv4-compatible ones, are refused. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Metadata address in every Azure machine, which returns credentials although its range is public. */
const PUBLIC_METADATA = '168.63.129.16';

/** Decides which addresses may be called: public ones by default, and those of networks allowed by the operator. */
export class NetworkGuard {
  private readonly allowed: Range[];

  constructor(
    allowedNetworks: readonly string[],
    private readonly allowHttp: boolean,
  ) {
    this.allowed = allowedNetworks.map(rangeOf);
  }

  /** Validates a URL by its text. Returns the error message, or undefined. A host name is checked when it is resolved. */
  problemOf(text: string): string | undefined {
    if (text.length > MAX_URL) return `must have at most ${MAX_URL.toLocaleString('en')} characters`;
    const schemes = this.allowHttp ? /^https?:\/\//i : /^https:\/\//i;
    if (!schemes.test(text)) return `must begin with https://${this.allowHttp ? ' or http://' : ''}`;
    if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return 'must be a URL, such as https://example.com/hooks';
    if (text.includes('#')) return 'must have no fragment (#…)';
    if (/^[^/]*\/\/[^/?]*@/.test(text)) return 'must have no user or password';
    const host = hostOf(new URL(text));
    return isIP(host) !== 0 && !this.mayCall(host) ? 'must not lead to a private, local or reserved address' : undefined;
  }

  /** Returns whether an IP address may be called. */
  mayCall(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = unmapped(ipaddr.parse(text));
    return isPublic(address) || this.allowed.some((range) => address.kind() === range[0].kind() && address.match(range));
  }
}

/** Returns the host of a URL for connecting: IPv6 addresses without their brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns the IPv4 address of an IPv4-mapped IPv6 address, which the system connects to; other addresses unchanged. */
const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/** Returns whether an address is public. Ranges that embed IPv4 addresses (NAT64, 6to4, Teredo) do not count as unicast here. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : address.toString() !== PUBLIC_METADATA;
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = unmapped(ipaddr.parse(text));
  return [address, address.kind() === 'ipv6' ? 128 : 32];
}
