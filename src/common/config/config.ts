import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { projectFile } from '../project-file.js';
import { certificateFile, LOCAL_SENDER, sender, smtpSettings, smtpTls } from './mail-settings.js';
import { isBareOrigin, namesHost } from './origin.js';
import type { TenantLimits } from './tenant-limits.js';

const MIB = 1024 * 1024;
const MAX_WORKERS = 64;
/** Connections of a node to PostgreSQL, and the fewest of a worker. */
const DATABASE_CONNECTIONS = 20;
const LEAST_DATABASE_CONNECTIONS = 5;

const SENTINEL = /^sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([\w.-]+:\d+(?:,[\w.-]+:\d+)*)\/([\w.-]+)$/;

const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number({ error: `${name} must be a whole number from ${min} to ${max}` })
    .int(`${name} must be a whole number from ${min} to ${max}`)
    .min(min, `${name} must be a whole number from ${min} to ${max}`)
    .max(max, `${name} must be a whole number from ${min} to ${max}`);

/** 0, the default, means no limit. */
const limit = (name: string) =>
  whole(name, 0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .transform((value) => value || Infinity);

const url = (name: string, ...schemes: string[]) => {
  const message = `${name} must be a URL that begins with ${schemes.map((s) => `${s}://`).join(' or ')} and has no query`;
  return z.string().refine((text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1)) && !parsed.search && !parsed.hash;
  }, message);
};

/** `true`, `false`, or a comma-separated list of addresses and CIDR ranges. A number of hops is not accepted: it could be spoofed. */
const trustProxy = z
  .string()
  .transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text.split(',').map((part) => part.trim())))
  .refine(
    (value) => typeof value === 'boolean' || value.every(isAddressOrRange),
    'TRUST_PROXY must be true, false, or a comma-separated list of addresses or CIDR ranges',
  );

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/** Takes no path and no credentials: signed paths begin at the root of the host, and credentials have their own settings. */
const origin = (name: string) =>
  url(name, 'http', 'https')
    .refine(isBareOrigin, `${name} must have no path, user or password: http://host:port`)
    .refine(
      namesHost,
      `${name} must name a host by letters, digits, dots, hyphens and underscores, or an IP address, and not port 0`,
    );

/** One server, or a group watched by Sentinels: sentinel://[user:password@]host:port,host:port/GROUP. */
const redisUrl = z
  .string()
  .refine(
    (text) => (URL.canParse(text) && /^rediss?:\/\//.test(text)) || SENTINEL.test(text),
    'REDIS_URL must be redis://host:port, rediss://host:port or sentinel://host:port,host:port/GROUP',
  )
  .transform((text): RedisSettings => {
    const [, user, password, hosts, group] = SENTINEL.exec(text) ?? [];
    if (!hosts || !group) return { url: text };
    const decoded = { username: user && decodeURIComponent(user), password: password && decodeURIComponent(password) };
    return { ...decoded, group, sentinels: hosts.split(',') };
  });

const bucketName = z
  .string()
  .regex(
    /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'MINIO_BUCKET must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  );

const WORKERS_RULE = 'WORKERS must be a whole number from 1 to 64, or auto';

const workers = z
  .string()
  .regex(/^(auto|[1-9]\d?)$/, WORKERS_RULE)
  .transform((text) => (text === 'auto' ? text : Number(text)))
  .refine((count) => count === 'auto' || count <= MAX_WORKERS, WORKERS_RULE);

const environment = z.object({
  PORT: whole('PORT', 0, 65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  WORKERS: workers.default(1),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)$/s, 'DATABASE_URL must begin with file: or postgresql://')
    .optional(),
  SECRET_KEY: z
    .string()
    .refine((text) => Buffer.byteLength(text) >= 32, 'SECRET_KEY must be 32 bytes or more, the same on every node')
    .optional(),
  PUBLIC_URL: url('PUBLIC_URL', 'http', 'https').optional(),
  FILES_URL: origin('FILES_URL').optional(),
  WEBSOCKET_URL: url('WEBSOCKET_URL', 'ws', 'wss').optional(),
  BOOTSTRAP_API_KEY: z.string().optional(),
  TRUST_PROXY: trustProxy.default(false),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  MAX_UPLOAD_BYTES: whole('MAX_UPLOAD_BYTES', 1, Number.MAX_SAFE_INTEGER).default(5 * 1024 * 1024 * MIB),
  RATE_LIMIT_PER_MINUTE: whole('RATE_LIMIT_PER_MINUTE', 0, 10_000_000).default(0),
  TENANT_MAX_STORED_BYTES: limit('TENANT_MAX_STORED_BYTES'),
  TENANT_MAX_FILES: limit('TENANT_MAX_FILES'),
  TENANT_MAX_WAITING_MESSAGES: limit('TENANT_MAX_WAITING_MESSAGES'),
  TENANT_MAX_TEMPLATES: limit('TENANT_MAX_TEMPLATES'),
  TENANT_MAX_STYLESHEETS: limit('TENANT_MAX_STYLESHEETS'),
  TENANT_MAX_MAILS_PER_DAY: limit('TENANT_MAX_MAILS_PER_DAY'),
  REDIS_URL: redisUrl.optional(),
  WEBSOCKET_HEARTBEAT_SECONDS: whole('WEBSOCKET_HEARTBEAT_SECONDS', 1, 300).default(25),
  WEBSOCKET_MAX_CONNECTIONS: whole('WEBSOCKET_MAX_CONNECTIONS', 0, 10_000_000).default(50_000),
  WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: whole('WEBSOCKET_MAX_CONNECTIONS_PER_TENANT', 0, 10_000_000).default(20_000),
  MESSAGE_RETENTION_DAYS: whole('MESSAGE_RETENTION_DAYS', 1, 36_500).default(30),
  MINIO_ENDPOINT: origin('MINIO_ENDPOINT').optional(),
  MINIO_PUBLIC_ENDPOINT: origin('MINIO_PUBLIC_ENDPOINT').optional(),
  MINIO_ACCESS_KEY: z.string().optional(),
  MINIO_SECRET_KEY: z.string().optional(),
  MINIO_BUCKET: bucketName.default('platform-services'),
  MINIO_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'MINIO_REGION must be the name of a region, such as us-east-1')
    .default('us-east-1'),
  SMTP_URL: url('SMTP_URL', 'smtp', 'smtps').optional(),
  SMTP_TLS: smtpTls.optional(),
  SMTP_CA_FILE: certificateFile('SMTP_CA_FILE').optional(),
  EMAIL_FROM: sender.optional(),
});

/** A wrong setting, which stops the start. The message is one line that names the setting and the values it may have. */
export class ConfigError extends Error {}

/** The store of blobs, where it is not a folder. */
export interface MinioSettings {
  endpoint: string;
  /** Address at which clients reach the same store; without it, they are not sent there. */
  publicEndpoint?: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/** Location of the bus between nodes: one server, or the master of a group as its Sentinels name it. */
export type RedisSettings =
  { url: string; sentinels?: undefined } | { sentinels: string[]; group: string; username?: string; password?: string };

type Environment = z.infer<typeof environment>;

/** One for each core; one with SQLite, which has one writer, and a thread of its own already. */
function automaticWorkers({ DATABASE_URL }: Environment): number {
  const isPostgres = DATABASE_URL !== undefined && !DATABASE_URL.startsWith('file:');
  return isPostgres ? Math.min(availableParallelism(), MAX_WORKERS) : 1;
}

/** Maps the environment to the names and units that the code uses. */
function settingsOf(env: Environment) {
  const dataDir = resolve(env.DATA_DIR);
  const workers = env.WORKERS === 'auto' ? automaticWorkers(env) : env.WORKERS;
  return {
    port: env.PORT,
    host: env.HOST,
    /** Processes that serve the port. Limits of the node are divided among them. */
    workers,
    dataDir,
    databaseUrl: env.DATABASE_URL ?? `file:${resolve(dataDir, 'platform-services.db')}`,
    secretKey: env.SECRET_KEY,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    /** Origin that serves file contents and nothing else. */
    filesUrl: env.FILES_URL && new URL(env.FILES_URL).origin,
    websocketUrl: env.WEBSOCKET_URL?.replace(/\/+$/, ''),
    bootstrapApiKey: env.BOOTSTRAP_API_KEY,
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL as string,
    maxUploadBytes: env.MAX_UPLOAD_BYTES,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    /** Limits of tenants that have none of their own. */
    tenantLimits: {
      storedBytes: env.TENANT_MAX_STORED_BYTES,
      files: env.TENANT_MAX_FILES,
      waitingMessages: env.TENANT_MAX_WAITING_MESSAGES,
      templates: env.TENANT_MAX_TEMPLATES,
      stylesheets: env.TENANT_MAX_STYLESHEETS,
      mailsPerDay: env.TENANT_MAX_MAILS_PER_DAY,
    } satisfies TenantLimits,
    redis: env.REDIS_URL,
    heartbeatSeconds: env.WEBSOCKET_HEARTBEAT_SECONDS,
    /** Connections to this process in all, and of one tenant. */
    maxConnections: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS / workers),
    maxConnectionsPerTenant: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS_PER_TENANT / workers),
    /** Connections of this process to PostgreSQL. */
    maxDatabaseConnections: Math.max(Math.ceil(DATABASE_CONNECTIONS / workers), LEAST_DATABASE_CONNECTIONS),
    messageRetentionDays: env.MESSAGE_RETENTION_DAYS,
    minio: minioSettings(env),
    /** The mail server; without it, mails become files. */
    smtp: env.SMTP_URL ? smtpSettings(env.SMTP_URL, env.SMTP_TLS, env.SMTP_CA_FILE) : undefined,
    emailFrom: env.EMAIL_FROM ?? LOCAL_SENDER,
    /** The version of package.json, which every `version` query returns. */
    version: packageVersion(),
  };
}

/** The settings of one node, checked and complete, with the types of the schema above. Also the injection token. */
export interface Config extends ReturnType<typeof settingsOf> {}
export class Config {
  get isPostgres(): boolean {
    return !this.databaseUrl.startsWith('file:');
  }

  /** File of the SQLite database; undefined with PostgreSQL. */
  get databaseFile(): string | undefined {
    return this.isPostgres ? undefined : resolve(this.databaseUrl.slice('file:'.length));
  }

  /** Whether anything is kept in DATA_DIR: the database, the secret, contents or mails. */
  get usesDataDir(): boolean {
    const database = this.databaseFile && dirname(this.databaseFile);
    return database === this.dataDir || !this.secretKey || !this.minio || !this.smtp;
  }

  /** Reads and checks the settings; an empty one counts as left out. @throws ConfigError for the first unusable setting */
  static read(env: Record<string, string | undefined>): Config {
    const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
    const parsed = environment.safeParse(present);
    if (!parsed.success) throw new ConfigError(parsed.error.issues[0]?.message);
    const config = Object.assign(new Config(), settingsOf(parsed.data));
    if (config.isPostgres && !config.secretKey) {
      throw new ConfigError('SECRET_KEY must be given with PostgreSQL: 32 bytes or more, the same on every node');
    }
    if (config.minio?.publicEndpoint && config.publicUrl && isSameOrigin(config.minio.publicEndpoint, config.publicUrl)) {
      throw new ConfigError(
        'MINIO_PUBLIC_ENDPOINT must have an origin other than that of PUBLIC_URL, since file contents may run there',
      );
    }
    if (config.smtp && !parsed.data.EMAIL_FROM) {
      throw new ConfigError('EMAIL_FROM must be given with SMTP_URL: the address of the sender');
    }
    if (config.smtp?.tls === 'off' && new URL(config.smtp.url).protocol === 'smtps:') {
      throw new ConfigError('SMTP_TLS must not be off where SMTP_URL begins with smtps://, which is TLS from the start');
    }
    if (config.filesUrl && hostOf(config.filesUrl) === hostOf(config.publicUrl ?? `http://localhost:${config.port}`)) {
      throw new ConfigError('FILES_URL must have a host or port other than those of PUBLIC_URL, or nothing else could be served');
    }
    return config;
  }

  static fromProcess(): Config {
    return Config.read(process.env);
  }
}

/** Whether the operator has set the size of the heap, in NODE_OPTIONS or as an argument of Node. */
export function isHeapSizeSet(): boolean {
  return /max[-_]old[-_]space[-_]size/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '));
}

function isSameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin;
}

function minioSettings(settings: Environment): MinioSettings | undefined {
  const { MINIO_ENDPOINT, MINIO_PUBLIC_ENDPOINT, MINIO_ACCESS_KEY, MINIO_SECRET_KEY, MINIO_BUCKET, MINIO_REGION } = settings;
  if (!MINIO_ENDPOINT) {
    if (MINIO_PUBLIC_ENDPOINT) throw new ConfigError('MINIO_ENDPOINT must be given with MINIO_PUBLIC_ENDPOINT');
    return undefined;
  }
  if (!MINIO_ACCESS_KEY) throw new ConfigError('MINIO_ACCESS_KEY must be given with MINIO_ENDPOINT');
  if (!MINIO_SECRET_KEY) throw new ConfigError('MINIO_SECRET_KEY must be given with MINIO_ENDPOINT');
  return {
    endpoint: MINIO_ENDPOINT,
    publicEndpoint: MINIO_PUBLIC_ENDPOINT,
    accessKey: MINIO_ACCESS_KEY,
    secretKey: MINIO_SECRET_KEY,
    bucket: MINIO_BUCKET,
    region: MINIO_REGION,
  };
}

const hostOf = (address: string): string => new URL(address).host;

function packageVersion(): string {
  return (JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version;
}
