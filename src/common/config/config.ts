import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { machineMemoryBytes } from './machine.js';
import { MIB } from '../base/amounts.js';
import { bounceSettings, emailDomainSettings } from './email-settings.js';
import { ConfigError } from './settings/config-error.js';
import { MAX_WORKERS } from './setting-rules.js';
import { type Environment, environment, SETTINGS } from './environment.js';
import { type EarlierName, withPresentNames } from './earlier-names.js';
import { LOCAL_SENDER, smtpSettings } from './settings/mail-settings.js';
import { faultOfOidc, oidcSettings } from './settings/oidc-settings.js';
import { packageVersion } from '../base/project-file.js';
import type { RetentionPeriods } from './retention-periods.js';
import { faultOfSecrets, faultOfTesting } from './settings/secrets.js';
import { minioSettings } from './settings/store-settings.js';
import { telemetrySettings } from './settings/telemetry-settings.js';
import type { TenantLimits } from './tenant-limits.js';
import { misspeltNames } from './misspelt-names.js';

/** Connections of a node to PostgreSQL, and the minimum for one worker. */
const DATABASE_CONNECTIONS = 20;
const LEAST_DATABASE_CONNECTIONS = 5;

const SETTING_NAMES = SETTINGS.flatMap(({ name, earlier }) => [name, ...(earlier === undefined ? [] : [earlier])]);

export { ConfigError };

interface Processes {
  /** Processes that serve the port. The limits of the node are divided among them. */
  workers: number;
  /** Reason why `auto` is 1 on a machine of several cores. */
  whyOneWorker?: string;
}

function processesOf({ WORKERS, DATABASE_URL, REDIS_URL }: Environment): Processes {
  if (WORKERS !== 'auto') return { workers: WORKERS };
  const cores = Math.min(availableParallelism(), MAX_WORKERS);
  const isPostgres = DATABASE_URL !== undefined && !DATABASE_URL.startsWith('file:');
  if (cores === 1 || (isPostgres && REDIS_URL)) return { workers: cores };
  const reason = isPostgres ? 'REDIS_URL is not set' : 'SQLite has one writer, and a thread of its own already';
  return { workers: 1, whyOneWorker: `WORKERS=auto is one process, since ${reason}; with PostgreSQL and Redis it is ${cores}` };
}

function tenantLimitsOf(env: Environment): TenantLimits {
  return {
    storedBytes: env.TENANT_MAX_STORED_BYTES,
    files: env.TENANT_MAX_FILES,
    waitingMessages: env.TENANT_MAX_WAITING_MESSAGES,
    templates: env.TENANT_MAX_TEMPLATES,
    stylesheets: env.TENANT_MAX_STYLESHEETS,
    mailsPerDay: env.TENANT_MAX_MAILS_PER_DAY,
    waitingEvents: env.TENANT_MAX_WAITING_EVENTS,
  };
}

function retentionOf(env: Environment): RetentionPeriods {
  return {
    files: env.FILE_RETENTION_DAYS,
    messages: env.MESSAGE_RETENTION_DAYS,
    mails: env.MAIL_RETENTION_DAYS,
    logs: env.LOG_RETENTION_DAYS,
    events: env.EVENT_RETENTION_DAYS,
  };
}

/** Settings of requests to URLs that tenants name. */
function outboundOf(env: Environment) {
  return {
    /** Addresses and CIDR ranges that may be called, in addition to public addresses. */
    allowedNetworks: env.WEBHOOK_ALLOWED_NETWORKS,
    allowHttp: env.WEBHOOK_ALLOW_HTTP,
    /** Trusted certificates in PEM, in addition to the public authorities. */
    trusted: env.WEBHOOK_CA_FILE,
    proxy: env.HTTPS_PROXY,
  };
}

function mailOf(env: Environment) {
  /** Mail server; without it, mails are written to files. */
  const smtp = smtpSettings(env);
  return { smtp, emailFrom: env.EMAIL_FROM ?? LOCAL_SENDER, ...bounceSettings(env), ...emailDomainSettings(env) };
}

/** Chromium or Gotenberg for PDFs; without either, PDFs are disabled. */
function pdfOf({ CHROMIUM_PATH, PDF_URL, PDF_MEMORY_BYTES = machineMemoryBytes() / 2 }: Environment, workers: number) {
  return {
    chromiumPath: CHROMIUM_PATH,
    pdfUrl: PDF_URL && new URL(PDF_URL).origin,
    /** Memory of all browsers of this process together, in whole MiB. */
    pdfMemoryBytes: Math.floor(PDF_MEMORY_BYTES / workers / MIB) * MIB,
  };
}

function placesOf(env: Environment, given: object) {
  const dataDir = resolve(env.DATA_DIR);
  return {
    dataDir,
    databaseUrl: env.DATABASE_URL ?? `file:${resolve(dataDir, 'platform-services.db')}`,
    /** True if a setting names the data folder or database; else data is in the working directory. */
    isDataNamed: 'DATA_DIR' in given || 'DATABASE_URL' in given,
  };
}

function namesOf(given: Record<string, string | undefined>, renamed: EarlierName[]) {
  return {
    /** Environment variables that look like misspelt settings. */
    misspelt: misspeltNames(given, SETTING_NAMES),
    /** Settings given by their earlier names. */
    renamed,
  };
}

/** Maps the environment to the names and units that the code uses. */
function settingsOf(env: Environment, given: Record<string, string | undefined>, renamed: EarlierName[]) {
  const version = packageVersion();
  const processes = processesOf(env);
  return {
    port: env.PORT,
    host: env.HOST,
    ...processes,
    /** Time between a stop signal and the refusal of connections, for load balancers to notice that the node is not ready. */
    drainSeconds: env.DRAIN_SECONDS,
    ...placesOf(env, given),
    secretKey: env.SECRET_KEY,
    /** Secrets whose signatures are accepted, besides the signing secret. */
    secretKeysOld: env.SECRET_KEYS_OLD,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    /** Origin that serves file contents only. */
    filesUrl: env.FILES_URL && new URL(env.FILES_URL).origin,
    websocketUrl: env.WEBSOCKET_URL?.replace(/\/+$/, ''),
    bootstrapApiKey: env.BOOTSTRAP_API_KEY,
    /** Issuer whose users may sign in to Studio. */
    oidc: oidcSettings(env),
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL as string,
    maxUploadBytes: env.MAX_UPLOAD_BYTES,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    /** Default limits of tenants. */
    tenantLimits: tenantLimitsOf(env),
    /** Time without finding data of a deleted tenant after which the tenant itself is removed. */
    tenantDeletionQuietMs: env.TENANT_DELETION_QUIET_SECONDS * 1_000,
    redis: env.REDIS_URL && { ...env.REDIS_URL, trusted: env.REDIS_CA_FILE },
    heartbeatSeconds: env.WEBSOCKET_HEARTBEAT_SECONDS,
    /** Maximum WebSocket connections to this process, in total and per tenant. */
    maxConnections: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS / processes.workers),
    maxConnectionsPerTenant: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS_PER_TENANT / processes.workers),
    /** Connections of this process to PostgreSQL. */
    maxDatabaseConnections: Math.max(Math.ceil(DATABASE_CONNECTIONS / processes.workers), LEAST_DATABASE_CONNECTIONS),
    /** Default retention periods of tenants. */
    retention: retentionOf(env),
    minio: minioSettings(env),
    ...mailOf(env),
    ...pdfOf(env, processes.workers),
    outbound: outboundOf(env),
    /** Key to the testing routes; without it, these routes do not exist. */
    testingKey: env.TESTING_KEY,
    /** Version in package.json, returned by every `version` query. */
    version,
    ...namesOf(given, renamed),
    /** Collector of traces and metrics; undefined: none. */
    telemetry: telemetrySettings(env, version),
  };
}

/** Settings of one node, checked and complete. Also the injection token. */
export interface Config extends ReturnType<typeof settingsOf> {}
export class Config {
  get isPostgres(): boolean {
    return !this.databaseUrl.startsWith('file:');
  }

  /** File of the SQLite database; undefined with PostgreSQL. */
  get databaseFile(): string | undefined {
    return this.isPostgres ? undefined : resolve(this.databaseUrl.slice('file:'.length));
  }

  /** True if DATA_DIR stores anything: the database, the secret, file contents or mails. */
  get usesDataDir(): boolean {
    const database = this.databaseFile && dirname(this.databaseFile);
    return database === this.dataDir || !this.secretKey || !this.minio || !this.smtp;
  }

  /** Reads and checks the settings; an empty one counts as unset. @throws ConfigError for the first unusable setting */
  static read(env: Record<string, string | undefined>): Config {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
    const { present, renamed } = withPresentNames(given, SETTINGS);
    const parsed = environment.safeParse(present);
    if (!parsed.success) throw new ConfigError(parsed.error.issues[0]?.message);
    const config = Object.assign(new Config(), settingsOf(parsed.data, present, renamed));
    const faults = [faultOfSecrets(config), faultOfTesting(config, env.NODE_ENV), faultOfPdf(config), faultOfOidc(parsed.data)];
    const fault = faults.find(Boolean);
    if (fault) throw new ConfigError(fault);
    if (config.minio?.publicEndpoint && config.publicUrl && isSameOrigin(config.minio.publicEndpoint, config.publicUrl)) {
      throw new ConfigError(
        'S3_PUBLIC_ENDPOINT must have an origin other than that of PUBLIC_URL, since file contents may run there',
      );
    }
    if (config.smtp && !parsed.data.EMAIL_FROM) {
      throw new ConfigError('EMAIL_FROM must be set with SMTP_URL: the address of the sender');
    }
    if (config.smtp?.tls === 'off' && new URL(config.smtp.url).protocol === 'smtps:') {
      throw new ConfigError('SMTP_TLS must not be off if SMTP_URL begins with smtps://, which always uses TLS');
    }
    if (config.bounceListener && !config.returnPathDomain) {
      throw new ConfigError('BOUNCE_PORT requires RETURN_PATH_DOMAIN, the domain of the bounce addresses');
    }
    if (config.workers > 1 && !config.redis) {
      throw new ConfigError(
        'WORKERS above 1 needs REDIS_URL, as several nodes do. Start a Redis, with `redis-server` or ' +
          '`docker run --detach --publish 127.0.0.1:6379:6379 redis`, and set REDIS_URL=redis://127.0.0.1:6379, or leave WORKERS out',
      );
    }
    if (config.redis?.trusted && !config.redis.isSecure) {
      throw new ConfigError('REDIS_CA_FILE needs TLS: REDIS_URL must begin with rediss://, sentinels:// or rediss+cluster://');
    }
    if (config.filesUrl && hostOf(config.filesUrl) === hostOf(config.publicUrl ?? `http://localhost:${config.port}`)) {
      throw new ConfigError(
        'FILES_URL must have a host or port other than those of PUBLIC_URL, since it serves file contents only',
      );
    }
    return config;
  }

  static fromProcess(): Config {
    return Config.read(process.env);
  }
}

function faultOfPdf({ chromiumPath, pdfUrl }: Pick<ReturnType<typeof pdfOf>, 'chromiumPath' | 'pdfUrl'>): string | undefined {
  if (chromiumPath && pdfUrl) return 'CHROMIUM_PATH and PDF_URL must not both be set: choose the one that creates PDFs';
  return undefined;
}

/** Returns the error of a command that found no database: the location that was searched, and the remedy. */
export function noDatabase({ databaseFile }: Config): string {
  const found = databaseFile
    ? `There is no database ${databaseFile}`
    : 'DATABASE_URL names a database that no server has started on';
  const advice = 'set DATA_DIR or DATABASE_URL to what the server uses, or start a server here first (platform-services start)';
  return `${found}: ${advice}`;
}

/** Overrides environment settings by command-line settings, for all processes of this node. */
export function overrideEnvironment(settings: Record<string, string>): void {
  Object.assign(process.env, settings);
}

/** Returns whether NODE_ENV is production, as images set it. */
export function isProduction(): boolean {
  return process.env.NODE_ENV === 'production';
}

/** Returns whether the operator set the heap size, in NODE_OPTIONS or as a Node argument. */
export function isHeapSizeSet(): boolean {
  return /max[-_]old[-_]space[-_]size/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '));
}

const isSameOrigin = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin;

const hostOf = (address: string): string => new URL(address).host;
