import { z } from 'zod';
import {
  serversOf,
  bytes,
  days,
  flag,
  MAX_WORKERS,
  networks,
  origin,
  proxyUrl,
  trustProxy,
  url,
  whole,
  workers,
  certificateFile,
} from './setting-rules.js';
import { bounceEnvironment, emailDomainEnvironment } from './email-settings.js';
import { sender, smtpTls } from './settings/mail-settings.js';
import { oidcEnvironment } from './settings/oidc-settings.js';
import { redisUrl } from './settings/redis-settings.js';
import { storeEnvironment } from './store-environment.js';
import { LEAST_SECRET_BYTES, LEAST_TESTING_KEY, MAX_OLD_SECRETS, oldSecrets, secret, testingKey } from './settings/secrets.js';
import { collectorUrl, MAX_PAIRS, otlpProtocol, pairs, sampledRatio, sampler } from './settings/telemetry-settings.js';
import { tenantLimitEnvironment } from './tenant-limits.js';
import { MIB } from '../base/amounts.js';

/**
 * All settings, with their rules. Each description ends with the default in brackets; `example` is a value for the docs where the
 * default says too little. Environment variables have these names; command-line options have them in lower case with hyphens.
 * `npm run settings` generates docs/settings.md and .env.example.
 */
export const environment = z.object({
  PORT: whole('PORT', 0, 65_535).default(3000).describe('port to listen on; 0 picks a free one (3000)'),
  HOST: z.string().default('0.0.0.0').describe('address to listen on; 127.0.0.1 for this machine only (0.0.0.0)'),
  WORKERS: workers
    .default(1)
    .describe(
      `processes that serve the port and share the limits of the node: 1 to ${MAX_WORKERS}, above 1 with REDIS_URL only; or auto: ` +
        'one for each core with PostgreSQL and Redis, else 1 (1)',
    )
    .meta({ example: 'auto' }),
  DRAIN_SECONDS: whole('DRAIN_SECONDS', 0, 300)
    .default(0)
    .describe(
      'seconds that a stopping node still serves while reported as not ready; longer than the load balancer takes to notice (0)',
    )
    .meta({ example: 5 }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info')
    .describe('lowest level to log: trace, debug, info, warn, error, fatal or silent (info)'),
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
    .describe(
      'database: file:PATH (SQLite) or postgresql://USER:PASSWORD@HOST:PORT/NAME, with TLS ?sslmode=verify-full; HOST:PORT,HOST:PORT names a ' +
        'primary and its standbys (a file in DATA_DIR)',
    )
    .meta({ example: 'postgresql://platform:password@localhost:5432/platform' }),
  SECRET_KEY: secret
    .optional()
    .describe(
      `secret of ${LEAST_SECRET_BYTES} bytes or more that signs URLs, tokens, keys and seals; the same on every node; required with ` +
        'PostgreSQL; replaced in steps only (generated, stored in DATA_DIR)',
    ),
  SECRET_KEYS_OLD: oldSecrets
    .default([])
    .describe(
      `up to ${MAX_OLD_SECRETS} secrets that are accepted besides SECRET_KEY while it is replaced, separated by commas, newest first (none)`,
    ),
  PUBLIC_URL: url('PUBLIC_URL', 'http', 'https')
    .optional()
    .describe('base of generated http URLs; no query (http://localhost:PORT)')
    .meta({ example: 'https://platform.example.com' }),
  FILES_URL: origin('FILES_URL')
    .optional()
    .describe(
      'separate origin that serves all file contents and nothing else; no path, another host or port than PUBLIC_URL (that ' +
        'of PUBLIC_URL)',
    )
    .meta({ example: 'https://files.example.com' }),
  WEBSOCKET_URL: url('WEBSOCKET_URL', 'ws', 'wss')
    .optional()
    .describe('base of generated websocket URLs; no query (PUBLIC_URL, with ws)')
    .meta({ example: 'wss://platform.example.com' }),
  TRUST_PROXY: trustProxy
    .default(false)
    .describe('proxies whose X-Forwarded-… headers are trusted: true, false, or addresses and CIDR ranges with commas (false)')
    .meta({ example: '10.0.0.0/8' }),
  BOOTSTRAP_API_KEY: z
    .string()
    .optional()
    .describe(
      'key to create at startup: all scopes, tenant default; from `platform-services keys generate` (none: the first start creates a key ' +
        'and prints it once)',
    ),
  ...oidcEnvironment,
  MAX_UPLOAD_BYTES: bytes('MAX_UPLOAD_BYTES', 1)
    .default(5 * 1024 * 1024 * MIB)
    .describe('maximum size of a file, in bytes or with a unit, such as 10GiB (5TiB)')
    .meta({ example: '10GiB' }),
  RATE_LIMIT_PER_MINUTE: whole('RATE_LIMIT_PER_MINUTE', 0, 10_000_000)
    .default(0)
    .describe('points that a key may spend per minute, on all nodes and workers of one Redis together; 0 is no limit (0)'),
  ...tenantLimitEnvironment,
  TENANT_DELETION_QUIET_SECONDS: whole('TENANT_DELETION_QUIET_SECONDS', 10, 86_400)
    .default(90)
    .describe('seconds without finding data of a deleted tenant before the tenant itself is removed (90)'),
  FILE_RETENTION_DAYS: days('FILE_RETENTION_DAYS')
    .default(Infinity)
    .describe('days to retain files after their last change (forever)'),
  MESSAGE_RETENTION_DAYS: days('MESSAGE_RETENTION_DAYS')
    .default(30)
    .describe('days to retain pushed messages once they are delivered or cancelled (30)'),
  MAIL_RETENTION_DAYS: days('MAIL_RETENTION_DAYS')
    .default(30)
    .describe('days to retain mails, with their bodies, once they are sent or failed (30)'),
  LOG_RETENTION_DAYS: days('LOG_RETENTION_DAYS')
    .default(Infinity)
    .describe('days to retain log records, except those of administration (forever)'),
  EVENT_RETENTION_DAYS: days('EVENT_RETENTION_DAYS').default(7).describe('days to retain webhook events (7)'),
  ...storeEnvironment,
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'Redis that connects several nodes or workers: redis://USER:PASSWORD@HOST:PORT, sentinel://HOST:PORT,…/GROUP or redis+cluster://HOST:PORT,…; ' +
        'with TLS rediss://…, sentinels://… or rediss+cluster://… (none: one process)',
    )
    .meta({ example: 'redis://localhost:6379' }),
  REDIS_CA_FILE: certificateFile('REDIS_CA_FILE')
    .optional()
    .describe('file with certificates (PEM) of Redis or its authority, trusted instead of public authorities (none)')
    .meta({ example: '/etc/ssl/certs/our-authority.pem' }),
  WEBSOCKET_HEARTBEAT_SECONDS: whole('WEBSOCKET_HEARTBEAT_SECONDS', 1, 300)
    .default(25)
    .describe('seconds between two pings; two unanswered ones close a connection (25)'),
  WEBSOCKET_MAX_CONNECTIONS: whole('WEBSOCKET_MAX_CONNECTIONS', 0, 10_000_000)
    .default(50_000)
    .describe('maximum WebSocket connections of a node (50000)'),
  WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: whole('WEBSOCKET_MAX_CONNECTIONS_PER_TENANT', 0, 10_000_000)
    .default(20_000)
    .describe('maximum WebSocket connections of one tenant to a node (20000)'),
  SMTP_URL: url('SMTP_URL', 'smtp', 'smtps')
    .optional()
    .describe(
      'mail server: smtp://USER:PASSWORD@HOST:PORT (TLS by STARTTLS) or smtps://… (TLS from the start) (none: mails become .eml files ' +
        'in DATA_DIR/mail)',
    )
    .meta({ example: 'smtps://user:password@smtp.example.com:465' }),
  SMTP_TLS: smtpTls
    .optional()
    .describe(
      'STARTTLS with smtp://: required sends no mail without it; opportunistic uses it where the server offers it; off never does ' +
        '(required with a password, else opportunistic)',
    )
    .meta({ example: 'required' }),
  SMTP_CA_FILE: certificateFile('SMTP_CA_FILE')
    .optional()
    .describe('file with certificates (PEM) of the mail server or its authority, trusted instead of public authorities (none)')
    .meta({ example: '/etc/ssl/certs/our-authority.pem' }),
  SMTP_OAUTH_TOKEN_URL: url('SMTP_OAUTH_TOKEN_URL', 'http', 'https')
    .optional()
    .describe('token URL for a login by OAuth, instead of a password in SMTP_URL (none)')
    .meta({ example: 'https://oauth2.googleapis.com/token' }),
  SMTP_OAUTH_CLIENT_ID: z.string().optional().describe('OAuth client (none)'),
  SMTP_OAUTH_CLIENT_SECRET: z.string().optional().describe('secret of the OAuth client, if it has one (none)'),
  SMTP_OAUTH_REFRESH_TOKEN: z.string().optional().describe('refresh token of the OAuth login (none)'),
  EMAIL_FROM: sender
    .optional()
    .describe('sender of mail, with or without a name; required with SMTP_URL (platform-services@localhost)')
    .meta({ example: 'Example <no-reply@example.com>' }),
  ...bounceEnvironment,
  ...emailDomainEnvironment,
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe('path of the Chromium or Chrome program that creates PDFs (none: renderFile is refused)')
    .meta({ example: '/usr/bin/chromium' }),
  PDF_URL: origin('PDF_URL')
    .optional()
    .describe('URL of a Gotenberg 8 that creates PDFs, instead of CHROMIUM_PATH (none)')
    .meta({ example: 'http://localhost:3001' }),
  PDF_MEMORY_BYTES: whole('PDF_MEMORY_BYTES', 256 * MIB, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('maximum memory of all browsers of a node together (half of the memory of the container or machine)')
    .meta({ example: 2 ** 30 }),
  WEBHOOK_ALLOWED_NETWORKS: networks('WEBHOOK_ALLOWED_NETWORKS')
    .default([])
    .describe('private addresses and CIDR ranges allowed in URLs set by tenants, with commas (none: public addresses only)')
    .meta({ example: '10.20.0.0/16' }),
  WEBHOOK_ALLOW_HTTP: flag('WEBHOOK_ALLOW_HTTP')
    .default(false)
    .describe('whether URLs set by tenants may begin with http:// (false)'),
  WEBHOOK_CA_FILE: certificateFile('WEBHOOK_CA_FILE')
    .optional()
    .describe('file with certificates (PEM) of authorities trusted for URLs set by tenants, besides the public ones (none)')
    .meta({ example: '/etc/ssl/certs/our-authority.pem' }),
  HTTPS_PROXY: proxyUrl('HTTPS_PROXY')
    .optional()
    .describe('HTTP proxy for requests to URLs set by tenants, also for http://: http://USER:PASSWORD@HOST:PORT (none)')
    .meta({ example: 'http://proxy.example.com:3128' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_ENDPOINT')
    .optional()
    .describe(
      'collector of traces and metrics, by OTLP over HTTP; v1/traces and v1/metrics are appended (none: nothing is recorded)',
    )
    .meta({ example: 'http://localhost:4318' }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
    .optional()
    .describe('full URL for traces; alone, it sends no metrics (from OTEL_EXPORTER_OTLP_ENDPOINT)')
    .meta({ example: 'http://localhost:4318/v1/traces' }),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collectorUrl('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
    .optional()
    .describe('full URL for metrics; alone, it sends no traces (from OTEL_EXPORTER_OTLP_ENDPOINT)')
    .meta({ example: 'http://localhost:4318/v1/metrics' }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs('OTEL_EXPORTER_OTLP_HEADERS')
    .optional()
    .describe(`headers for the collector: up to ${MAX_PAIRS} of NAME=VALUE,…, values percent-encoded (none)`)
    .meta({ example: 'authorization=Basic%20Zm9v' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.optional().describe('only http/protobuf is supported (http/protobuf)'),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, 'OTEL_SERVICE_NAME must have at most 255 characters')
    .optional()
    .describe('name of this service in traces and metrics (platform-services)'),
  OTEL_RESOURCE_ATTRIBUTES: pairs('OTEL_RESOURCE_ATTRIBUTES')
    .optional()
    .describe(`attributes of all traces and metrics: up to ${MAX_PAIRS} of NAME=VALUE,…, values percent-encoded (none)`)
    .meta({ example: 'deployment.environment.name=production' }),
  OTEL_TRACES_SAMPLER: sampler
    .default('parentbased_always_on')
    .describe(
      'sampling of requests: always_on, always_off or traceidratio; after parentbased_ the traceparent of the caller decides ' +
        'first (parentbased_always_on)',
    )
    .meta({ example: 'parentbased_traceidratio' }),
  OTEL_TRACES_SAMPLER_ARG: sampledRatio
    .default(1)
    .describe('share of requests that …traceidratio records (1)')
    .meta({ example: 0.01 }),
  OTEL_METRIC_EXPORT_INTERVAL: whole('OTEL_METRIC_EXPORT_INTERVAL', 1_000, 3_600_000)
    .default(60_000)
    .describe('milliseconds between two exports of metrics (60000)'),
  OTEL_SDK_DISABLED: z.string().optional().describe('true disables all recording and sending (false)'),
  TESTING_KEY: testingKey
    .optional()
    .describe(
      `key to the routes for tests of applications: ${LEAST_TESTING_KEY} characters or more; refused in production, and beside ` +
        'PostgreSQL, Redis, an S3 store, a mail server or several workers (none: no such routes)',
    )
    .meta({ example: 'only-for-tests-123' }),
});

export type Environment = z.infer<typeof environment>;

export interface Setting {
  /** Environment variable. */
  name: string;
  /** Its earlier name, which is still accepted. */
  earlier?: string;
  /** Command-line option, such as `--data-dir`. */
  flag: string;
  description: string;
}

export const SETTINGS: readonly Setting[] = Object.entries(environment.shape).map(([name, { description = '' }]) => ({
  name,
  ...(Object.hasOwn(storeEnvironment, name) && { earlier: name.replace(/^S3_/, 'MINIO_') }),
  flag: flagOf(name),
  description,
}));

/** Returns the command-line option of an environment variable. */
export function flagOf(name: string): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}
