/**
 * Returns one URL for each server of a database URL. As with PostgreSQL's own clients, the host can be a list,
 * `postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`, of which one server is the primary.
 */
export function serversOf(databaseUrl: string): string[] {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  return hosts === undefined ? [databaseUrl] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}
