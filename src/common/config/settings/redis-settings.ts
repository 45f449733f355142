import { z } from 'zod';

interface Login {
  username?: string;
  password?: string;
}

/** Redis that connects nodes: one server, the master of a Sentinel group, or a Redis Cluster. */
export type RedisSettings = {
  isSecure: boolean;
  /** Certificates in PEM, trusted instead of the public authorities. */
  trusted?: string;
} & ({ url: string } | ({ sentinels: string[]; group: string } & Login) | ({ seeds: string[] } & Login));

const LOGIN = '(?:([^:@/]*):([^@/]*)@)?';
const HOSTS = String.raw`([\w.-]+:\d+(?:,[\w.-]+:\d+)*)`;
const SENTINEL = new RegExp(String.raw`^sentinels?://${LOGIN}${HOSTS}/([\w.-]+)$`);
const CLUSTER = new RegExp(`^rediss?\\+cluster://${LOGIN}${HOSTS}/?$`);

/**
 * Rule for one server; a Sentinel group, sentinel://[user:password@]host:port,host:port/GROUP; or some nodes of a cluster,
 * redis+cluster://[user:password@]host:port,host:port. An additional `s` means TLS.
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
      username: user ? decodeURIComponent(user) : undefined, // undefined is the default user
      password: password ? decodeURIComponent(password) : undefined,
    };
    if (!group) return { ...decoded, seeds: hosts.split(','), isSecure };
    return { ...decoded, group, sentinels: hosts.split(','), isSecure };
  });
