import { z } from 'zod';

interface Login {
  username?: string;
  password?: string;
}

/** Location of the bus between nodes: one server, the master of a group as its Sentinels name it, or a Redis Cluster. */
export type RedisSettings = {
  isSecure: boolean;
  /** Certificates, in PEM, that are trusted in place of the public authorities. */
  trusted?: string;
} & ({ url: string } | ({ sentinels: string[]; group: string } & Login) | ({ seeds: string[] } & Login));

const LOGIN = '(?:([^:@/]*):([^@/]*)@)?';
const HOSTS = String.raw`([\w.-]+:\d+(?:,[\w.-]+:\d+)*)`;
const SENTINEL = new RegExp(String.raw`^sentinels?://${LOGIN}${HOSTS}/([\w.-]+)$`);
const CLUSTER = new RegExp(`^rediss?\\+cluster://${LOGIN}${HOSTS}/?$`);

/**
 * One server; a group watched by Sentinels: sentinel://[user:password@]host:port,host:port/GROUP; or a cluster, with some of its
 * nodes: redis+cluster://[user:password@]host:port,host:port. An `s` more means TLS.
 */
export const redisUrl = z
  .string()
  .refine(
    (text) => (URL.canParse(text) && /^rediss?:\/\//.test(text)) || SENTINEL.test(text) || CLUSTER.test(text),
    'REDIS_URL must be redis://host:port, rediss://host:port, sentinel://host:port,host:port/GROUP, sentinels://…, ' +
      'redis+cluster://host:port,host:port or rediss+cluster://…',
  )
  .transform((text): RedisSettings => {
    const isSecure = /^(rediss|sentinels|rediss\+cluster):/.test(text);
    const [, user, password, hosts, group] = SENTINEL.exec(text) ?? CLUSTER.exec(text) ?? [];
    if (!hosts) return { url: text, isSecure };
    const decoded = {
      username: user ? decodeURIComponent(user) : undefined, // none is the default user
      password: password ? decodeURIComponent(password) : undefined,
    };
    if (!group) return { ...decoded, seeds: hosts.split(','), isSecure };
    return { ...decoded, group, sentinels: hosts.split(','), isSecure };
  });
