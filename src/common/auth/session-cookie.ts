import type { IncomingHttpHeaders } from 'node:http';

/** Header in which Studio names the tenant of a request. Other sites cannot set it, since no preflight is granted. */
export const TENANT_HEADER = 'x-tenant-id';

/** Cookies of people. Over https, their prefix keeps other hosts of the domain from setting them. */
export type CookieName = 'session' | 'sign-in';

const nameOf = (name: CookieName, isSecure: boolean): string => `${isSecure ? '__Host-' : ''}platform-${name}`;

export function readCookie({ cookie }: IncomingHttpHeaders, name: CookieName, isSecure: boolean): string | undefined {
  const start = `${nameOf(name, isSecure)}=`;
  return cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/**
 * Writes a cookie that no script reads. The session is sent by pages of this server only; the state of a sign-in also when the issuer
 * sends the browser back.
 */
export function writeCookie(
  name: CookieName,
  value: string,
  { seconds, isSecure }: { seconds: number; isSecure: boolean },
): string {
  const site = name === 'session' ? 'Strict' : 'Lax';
  return `${nameOf(name, isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${site}${isSecure ? '; Secure' : ''}`;
}
