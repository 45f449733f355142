/**
 * Returns an address for each server that the URL of a database names. As for PostgreSQL's own clients, its host can be a list,
 * `postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`, of which one server is the primary.
 */
export function serversOf(databaseUrl: string): string[] {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  return hosts === undefined ? [databaseUrl] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}
