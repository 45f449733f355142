import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { machineMemoryBytes } from '../workers/machine-memory.js';
import { MIB } from '../base/amounts.js';
import { bounceSettings, emailDomainSettings } from './email-settings.js';
import { ConfigError } from './settings/config-error.js';
import { type Environment, environment, SETTINGS } from './environment.js';
import { MAX_WORKERS } from './setting-rules.js';
import { LOCAL_SENDER, smtpSettings } from './settings/mail-settings.js';
import { packageVersion } from '../project-file.js';
import type { RetentionPeriods } from './retention-periods.js';
import { faultOfSecrets, faultOfTesting } from './settings/secrets.js';
import { minioSettings } from './settings/store-settings.js';
import { telemetrySettings } from './settings/telemetry-settings.js';
import type { TenantLimits } from './tenant-limits.js';
import { misspeltNames } from './misspelt-names.js';

/** Connections of a node to PostgreSQL, and the minimum for one worker. */
const DATABASE_CONNECTIONS = 20;
const LEAST_DATABASE_CONNECTIONS = 5;

const SETTING_NAMES = SETTINGS.map(({ name }) => name);

export { ConfigError };

interface Processes {
  /** Processes that serve the port. Limits of the node are divided among them. */
  workers: number;
  /** Why `auto` is 1 on a machine of several cores. */
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

/** Requests to addresses that tenants name. */
function outboundOf(env: Environment) {
  return {
    /** Addresses and CIDR ranges that may be called besides public addresses. */
    allowedNetworks: env.WEBHOOK_ALLOWED_NETWORKS,
    allowHttp: env.WEBHOOK_ALLOW_HTTP,
    /** Certificates, in PEM, that are trusted besides the public authorities. */
    trusted: env.WEBHOOK_CA_FILE,
    proxy: env.HTTPS_PROXY,
  };
}

function mailOf(env: Environment) {
  /** The mail server; without it, mails become files. */
  const smtp = smtpSettings(env);
  return { smtp, emailFrom: env.EMAIL_FROM ?? LOCAL_SENDER, ...bounceSettings(env), ...emailDomainSettings(env) };
}

/** The browser that makes PDFs, or the Gotenberg; neither: none are made. */
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
    /** Whether a setting says where the data are; else they are in the folder where the program is run. */
    isDataNamed: 'DATA_DIR' in given || 'DATABASE_URL' in given,
  };
}

/** Maps the environment to the names and units that the code uses. */
function settingsOf(env: Environment, given: Record<string, string | undefined>) {
  const version = packageVersion();
  const processes = processesOf(env);
  return {
    port: env.PORT,
    host: env.HOST,
    ...processes,
    /** Time from a signal to stop until connections are refused: balancers see in it that the node is not ready. */
    drainSeconds: env.DRAIN_SECONDS,
    ...placesOf(env, given),
    secretKey: env.SECRET_KEY,
    /** Secrets whose signatures are accepted, besides the one that signs. */
    secretKeysOld: env.SECRET_KEYS_OLD,
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
    tenantLimits: tenantLimitsOf(env),
    /** How long no data of a deleted tenant may be found before the tenant itself is removed. */
    tenantDeletionQuietMs: env.TENANT_DELETION_QUIET_SECONDS * 1_000,
    redis: env.REDIS_URL && { ...env.REDIS_URL, trusted: env.REDIS_CA_FILE },
    heartbeatSeconds: env.WEBSOCKET_HEARTBEAT_SECONDS,
    /** WebSocket connections to this process, of all tenants together and of one. */
    maxConnections: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS / processes.workers),
    maxConnectionsPerTenant: Math.ceil(env.WEBSOCKET_MAX_CONNECTIONS_PER_TENANT / processes.workers),
    /** Connections of this process to PostgreSQL. */
    maxDatabaseConnections: Math.max(Math.ceil(DATABASE_CONNECTIONS / processes.workers), LEAST_DATABASE_CONNECTIONS),
    /** Retention periods of tenants that have none of their own. */
    retention: retentionOf(env),
    minio: minioSettings(env),
    ...mailOf(env),
    ...pdfOf(env, processes.workers),
    outbound: outboundOf(env),
    /** Key to the routes that only tests of applications use; without it these routes do not exist. */
    testingKey: env.TESTING_KEY,
    /** The version of package.json, which every `version` query returns. */
    version,
    /** Names of the environment that are probably meant to be settings. */
    misspelt: misspeltNames(given, SETTING_NAMES),
    /** The collector of traces and metrics; undefined: none. */
    telemetry: telemetrySettings(env, version),
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

  /** Whether anything is stored in DATA_DIR: the database, the secret, contents or mails. */
  get usesDataDir(): boolean {
    const database = this.databaseFile && dirname(this.databaseFile);
    return database === this.dataDir || !this.secretKey || !this.minio || !this.smtp;
  }

  /** Reads and checks the settings; an empty one counts as left out. @throws ConfigError for the first unusable setting */
  static read(env: Record<string, string | undefined>): Config {
    const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
    const parsed = environment.safeParse(present);
    if (!parsed.success) throw new ConfigError(parsed.error.issues[0]?.message);
    const config = Object.assign(new Config(), settingsOf(parsed.data, present));
    const [fault] = [faultOfSecrets(config), faultOfTesting(config, env.NODE_ENV), faultOfPdf(config)].filter(Boolean);
    if (fault) throw new ConfigError(fault);
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
    if (config.bounceListener && !config.returnPathDomain) {
      throw new ConfigError('BOUNCE_PORT needs RETURN_PATH_DOMAIN: the domain of the addresses that it takes bounces for');
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
      throw new ConfigError('FILES_URL must have a host or port other than those of PUBLIC_URL, or nothing else could be served');
    }
    return config;
  }

  static fromProcess(): Config {
    return Config.read(process.env);
  }
}

function faultOfPdf({ chromiumPath, pdfUrl }: Pick<ReturnType<typeof pdfOf>, 'chromiumPath' | 'pdfUrl'>): string | undefined {
  if (chromiumPath && pdfUrl) return 'CHROMIUM_PATH and PDF_URL must not both be given: set the one that is to make PDFs';
  return undefined;
}

/** Says where a command looked for a database and found none, and what to do. */
export function noDatabase({ databaseFile }: Config): string {
  const found = databaseFile
    ? `There is no database ${databaseFile}`
    : 'DATABASE_URL names a database that no server has started on';
  const advice = 'set DATA_DIR or DATABASE_URL to what the server uses, or start a server here first (platform-services start)';
  return `${found}: ${advice}`;
}

/** Overrides settings of the environment by those of the command line, for all processes of this node. */
export function overrideEnvironment(settings: Record<string, string>): void {
  Object.assign(process.env, settings);
}

/** Whether NODE_ENV is production, which images set. */
export function isProduction(): boolean {
  return process.env.NODE_ENV === 'production';
}

/** Whether the operator has set the size of the heap, in NODE_OPTIONS or as an argument of Node. */
export function isHeapSizeSet(): boolean {
  return /max[-_]old[-_]space[-_]size/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '));
}

const isSameOrigin = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin;

const hostOf = (address: string): string => new URL(address).host;
