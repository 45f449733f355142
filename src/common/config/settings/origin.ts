/** A name as DNS and containers allow it, or an IPv6 address in brackets. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d._-]{0,251}[a-z\d.])?|\[[\da-f:.]+\])$/;

/** Returns whether only host and port are given. Text that is not a URL passes here and below: another rule refuses it. */
export function isBareOrigin(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { pathname, username, password } = new URL(text);
  return pathname === '/' && username === '' && password === '';
}

/** Returns whether every client of a store accepts the host's name or address; URLs allow more. */
export function namesHost(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { hostname, port } = new URL(text);
  return HOST_NAME.test(hostname) && port !== '0';
}
