/** As DNS and containers have them, or an IPv6 address in brackets. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d._-]{0,251}[a-z\d.])?|\[[\da-f:.]+\])$/;

/** Nothing stands behind or before the host and port. What is no URL is for another rule to refuse, here and below. */
export function isBareOrigin(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { pathname, username, password } = new URL(text);
  return pathname === '/' && username === '' && password === '';
}

/** The host has a name, or an address, that every client of a store takes; URLs allow more. */
export function namesHost(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { hostname, port } = new URL(text);
  return HOST_NAME.test(hostname) && port !== '0';
}
