import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';

/** Normalizes an IP address: IPv4-mapped IPv6 becomes IPv4, other IPv6 its shortest form. */
export function plainAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const shortest = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest);
  if (!mapped) return shortest;
  const [high, low] = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Determines the client IP address as for HTTP requests: the peer, or the address reported by a proxy listed in TRUST_PROXY. */
export function sourceOf(trustProxy: boolean | string[]): (request: IncomingMessage) => string {
  const trusts = trustOf(trustProxy);
  return (request) => plainAddress(proxyAddress(request, trusts));
}

/** Determines the requested host: Host, or X-Forwarded-Host from a proxy listed in TRUST_PROXY. */
export function hostOf(trustProxy: boolean | string[]): (request: IncomingMessage) => string {
  const trusts = trustOf(trustProxy);
  return ({ headers, socket }) => {
    const forwarded = headers['x-forwarded-host'];
    if (!forwarded || !trusts(socket.remoteAddress ?? '', 0)) return headers.host ?? '';
    return String(forwarded).split(',').at(-1)!.trim();
  };
}

function trustOf(trustProxy: boolean | string[]): (address: string, hop: number) => boolean {
  return typeof trustProxy === 'boolean' ? () => trustProxy : proxyAddress.compile(trustProxy);
}
