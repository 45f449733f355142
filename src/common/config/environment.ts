import { z } from 'zod';
import { serversOf } from './database-servers.js';
import { certificateFile } from './settings/certificate-file.js';
import { sender, smtpTls } from './settings/mail-settings.js';
import { isBareOrigin, namesHost } from './settings/origin.js';
import { MAX_RETENTION_DAYS } from './retention-periods.js';
import { redisUrl } from './settings/redis-settings.js';
import { oldSecrets, secret } from './settings/secrets.js';
import { collectorUrl, otlpProtocol, pairs, sampledRatio, sampler } from './settings/telemetry-settings.js';
import { testingKey } from './settings/testing-settings.js';
import { trustProxy } from './settings/trust-proxy.js';
import { MIB } from '../validation/amounts.js';

export const MAX_WORKERS = 64;

const whole = (name: string, min: number, max: number) =>
  z.coerce
    .number({ error: `${name} must be a whole number from ${min} to ${max}` })
    .int(`${name} must be a whole number from ${min} to ${max}`)
    .min(min, `${name} must be a whole number from ${min} to ${max}`)
    .max(max, `${name} must be a whole number from ${min} to ${max}`);

const days = (name: string) => whole(name, 1, MAX_RETENTION_DAYS);

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

/** Takes no path and no credentials: signed paths begin at the root of the host, and credentials have their own settings. */
const origin = (name: string) =>
  url(name, 'http', 'https')
    .refine(isBareOrigin, `${name} must have no path, user or password: http://host:port`)
    .refine(
      namesHost,
      `${name} must name a host by letters, digits, dots, hyphens and underscores, or an IP address, and not port 0`,
    );

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

/**
 * All settings, with their rules. Each description ends with the default in brackets. The environment names a setting as it is
 * here; the command line, in lower case with hyphens.
 */
export const environment = z.object({
  PORT: whole('PORT', 0, 65_535).default(3000).describe('port to listen on; 0 picks a free one (3000)'),
  HOST: z.string().default('0.0.0.0').describe('address to listen on (0.0.0.0)'),
  WORKERS: workers
    .default(1)
    .describe('processes that serve the port: 1 to 64, more than 1 with REDIS_URL, or auto: one for each core (1)'),
  DRAIN_SECONDS: whole('DRAIN_SECONDS', 0, 300)
    .default(0)
    .describe('seconds for which a stopping node still serves, reported as not ready: 0 to 300 (0)'),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe('folder for the SQLite database, file contents, mails and the generated secret (./data)'),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)$/s, 'DATABASE_URL must begin with file: or postgresql://')
    .refine(
      (text) => serversOf(text).every((server) => URL.canParse(server)),
      'DATABASE_URL must be file:PATH or postgresql://USER:PASSWORD@HOST:PORT,…/NAME, with special characters percent-encoded',
    )
    .optional()
    .describe('file:PATH or postgresql://USER:PASSWORD@HOST:PORT,…/NAME (a file in DATA_DIR)'),
  SECRET_KEY: secret
    .optional()
    .describe('secret of at least 32 bytes behind URLs, tokens, keys and seals (generated, kept in DATA_DIR)'),
  SECRET_KEYS_OLD: oldSecrets
    .default([])
    .describe('up to 8 secrets that are accepted besides SECRET_KEY, separated by commas, newest first (none)'),
  PUBLIC_URL: url('PUBLIC_URL', 'http', 'https')
    .optional()
    .describe('what generated http addresses begin with (http://localhost:PORT)'),
  FILES_URL: origin('FILES_URL').optional().describe('an origin of its own for file contents (that of PUBLIC_URL)'),
  WEBSOCKET_URL: url('WEBSOCKET_URL', 'ws', 'wss')
    .optional()
    .describe('what generated websocket addresses begin with (from PUBLIC_URL)'),
  BOOTSTRAP_API_KEY: z
    .string()
    .optional()
    .describe('a key to ensure at start: all scopes, tenant default; from keys generate (none)'),
  TRUST_PROXY: trustProxy
    .default(false)
    .describe('proxies whose X-Forwarded-… headers count: true, false, or addresses and CIDR ranges (false)'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info')
    .describe('trace, debug, info, warn, error, fatal or silent (info)'),
  MAX_UPLOAD_BYTES: whole('MAX_UPLOAD_BYTES', 1, Number.MAX_SAFE_INTEGER)
    .default(5 * 1024 * 1024 * MIB)
    .describe('largest file, in bytes (5 TiB)'),
  RATE_LIMIT_PER_MINUTE: whole('RATE_LIMIT_PER_MINUTE', 0, 10_000_000)
    .default(0)
    .describe('points that a key may spend a minute; 0 is no limit (0)'),
  TENANT_MAX_STORED_BYTES: limit('TENANT_MAX_STORED_BYTES').describe('bytes of files of a tenant; 0 is no limit (0)'),
  TENANT_MAX_FILES: limit('TENANT_MAX_FILES').describe('files of a tenant; 0 is no limit (0)'),
  TENANT_MAX_WAITING_MESSAGES: limit('TENANT_MAX_WAITING_MESSAGES').describe(
    'pushed messages of a tenant that wait for their recipients; 0 is no limit (0)',
  ),
  TENANT_MAX_TEMPLATES: limit('TENANT_MAX_TEMPLATES').describe('templates of a tenant; 0 is no limit (0)'),
  TENANT_MAX_STYLESHEETS: limit('TENANT_MAX_STYLESHEETS').describe('stylesheets of a tenant; 0 is no limit (0)'),
  TENANT_MAX_MAILS_PER_DAY: limit('TENANT_MAX_MAILS_PER_DAY').describe(
    'mails of a tenant from midnight to midnight, UTC; 0 is no limit (0)',
  ),
  TENANT_DELETION_QUIET_SECONDS: whole('TENANT_DELETION_QUIET_SECONDS', 10, 86_400)
    .default(90)
    .describe('seconds for which no data of a deleted tenant may be found before the tenant is removed (90)'),
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'redis://…, sentinel://HOST:PORT,…/GROUP or redis+cluster://HOST:PORT,…; connects several nodes or workers (none: one process)',
    ),
  REDIS_CA_FILE: certificateFile('REDIS_CA_FILE')
    .optional()
    .describe('certificates (PEM) of Redis or its authority, in place of the public authorities (none)'),
  WEBSOCKET_HEARTBEAT_SECONDS: whole('WEBSOCKET_HEARTBEAT_SECONDS', 1, 300)
    .default(25)
    .describe('seconds between two pings; two unanswered ones close a connection (25)'),
  WEBSOCKET_MAX_CONNECTIONS: whole('WEBSOCKET_MAX_CONNECTIONS', 0, 10_000_000)
    .default(50_000)
    .describe('WebSocket connections of a node (50000)'),
  WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: whole('WEBSOCKET_MAX_CONNECTIONS_PER_TENANT', 0, 10_000_000)
    .default(20_000)
    .describe('of those, connections of one tenant (20000)'),
  FILE_RETENTION_DAYS: days('FILE_RETENTION_DAYS')
    .default(Infinity)
    .describe('days that files are kept after their last change (forever)'),
  MESSAGE_RETENTION_DAYS: days('MESSAGE_RETENTION_DAYS')
    .default(30)
    .describe('days that delivered or cancelled messages are kept (30)'),
  MAIL_RETENTION_DAYS: days('MAIL_RETENTION_DAYS').default(30).describe('days that sent or failed mails are kept (30)'),
  LOG_RETENTION_DAYS: days('LOG_RETENTION_DAYS').default(Infinity).describe('days that log records are kept (forever)'),
  MINIO_ENDPOINT: origin('MINIO_ENDPOINT')
    .optional()
    .describe('MinIO or another S3 store, an http(s) URL without a path (none: a folder in DATA_DIR)'),
  MINIO_PUBLIC_ENDPOINT: origin('MINIO_PUBLIC_ENDPOINT')
    .optional()
    .describe('address of the same store for clients (none: bytes pass through this process)'),
  MINIO_ACCESS_KEY: z.string().optional().describe('name of the key to the store (none: a role)'),
  MINIO_SECRET_KEY: z.string().optional().describe('secret of the key to the store (none: a role)'),
  MINIO_ADDRESSING: z
    .enum(['path', 'host'], { error: 'MINIO_ADDRESSING must be path or host' })
    .default('path')
    .describe('where addresses of the store name the bucket: path or host (path)'),
  MINIO_BUCKET: bucketName.default('platform-services').describe('bucket of the store (platform-services)'),
  MINIO_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'MINIO_REGION must be the name of a region, such as us-east-1')
    .default('us-east-1')
    .describe('region that requests to the store are signed for (us-east-1)'),
  SMTP_URL: url('SMTP_URL', 'smtp', 'smtps')
    .optional()
    .describe('smtp://USER:PASSWORD@HOST:PORT or smtps://… (none: mails become files)'),
  SMTP_TLS: smtpTls
    .optional()
    .describe('how STARTTLS is used: required, opportunistic or off (required with a password, else opportunistic)'),
  SMTP_CA_FILE: certificateFile('SMTP_CA_FILE')
    .optional()
    .describe('certificates (PEM) of the mail server or its authority, in place of the public authorities (none)'),
  SMTP_OAUTH_TOKEN_URL: url('SMTP_OAUTH_TOKEN_URL', 'http', 'https')
    .optional()
    .describe('address that gives tokens, for a login by OAuth in place of a password (none)'),
  SMTP_OAUTH_CLIENT_ID: z.string().optional().describe('OAuth client (none)'),
  SMTP_OAUTH_CLIENT_SECRET: z.string().optional().describe('secret of the OAuth client (none)'),
  SMTP_OAUTH_REFRESH_TOKEN: z.string().optional().describe('refresh token of the OAuth login (none)'),
  EMAIL_FROM: sender.optional().describe('sender of mail; required with SMTP_URL (platform-services@localhost)'),
  TESTING_KEY: testingKey
    .optional()
    .describe('admits tests of applications to routes of their own; 16 characters or more, never in production (none)'),
  OTEL_SDK_DISABLED: z.string().optional().describe('true records nothing, whatever else is set (false)'),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, 'OTEL_SERVICE_NAME must have at most 255 characters')
    .optional()
    .describe('name of this service in traces and metrics (platform-services)'),
  OTEL_RESOURCE_ATTRIBUTES: pairs('OTEL_RESOURCE_ATTRIBUTES')
    .optional()
    .describe('attributes of this node in traces and metrics, as NAME=VALUE,… (none)'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_ENDPOINT')
    .optional()
    .describe('collector of traces and metrics, by OTLP over HTTP (none)'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
    .optional()
    .describe('the whole address for traces (from OTEL_EXPORTER_OTLP_ENDPOINT)'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
    .optional()
    .describe('the whole address for metrics (from OTEL_EXPORTER_OTLP_ENDPOINT)'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs('OTEL_EXPORTER_OTLP_HEADERS')
    .optional()
    .describe('headers for the collector, as NAME=VALUE,… (none)'),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.optional().describe('http/protobuf, and nothing else (http/protobuf)'),
  OTEL_TRACES_SAMPLER: sampler
    .default('parentbased_always_on')
    .describe('which requests are recorded, as OpenTelemetry names it (parentbased_always_on)'),
  OTEL_TRACES_SAMPLER_ARG: sampledRatio.default(1).describe('share of the requests that are recorded, for …traceidratio (1)'),
  OTEL_METRIC_EXPORT_INTERVAL: whole('OTEL_METRIC_EXPORT_INTERVAL', 1_000, 3_600_000)
    .default(60_000)
    .describe('milliseconds between two exports of metrics (60000)'),
});

export type Environment = z.infer<typeof environment>;

export interface Setting {
  /** Its environment variable. */
  name: string;
  /** Its option on the command line, such as `--data-dir`. */
  flag: string;
  description: string;
}

export const SETTINGS: readonly Setting[] = Object.entries(environment.shape).map(([name, { description = '' }]) => ({
  name,
  flag: `--${name.toLowerCase().replaceAll('_', '-')}`,
  description,
}));
