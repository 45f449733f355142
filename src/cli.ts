import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, InvalidArgumentError } from 'commander';
import { generateApiKey } from './common/auth/api-key.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { Config, ConfigError } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { DatabaseModule } from './common/database/database.module.js';
import { KeyBinding } from './common/signing/key-binding.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { Database } from './common/database/database.js';
import { AppError } from './common/errors/app-error.js';
import { SigningModule } from './common/signing/signing.module.js';
import type { TenantLimits } from './common/config/tenant-limits.js';
import { type LimitChange, type LimitChanges, TenantsService } from './common/tenants/tenants.service.js';
import type { VerifyOptions } from './log-command.js';
import { tenantUsage } from './tenant-usage.js';

@Module({})
class CliModule {}

/** Gives `run` a service on the configured database, which a server may be using at the same time. */
async function withService<T>(
  module: DynamicModule,
  token: Type<T>,
  run: (service: T, database: Database) => Promise<void>,
): Promise<void> {
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    await run(context.get(token, { strict: false }), context.get(Database, { strict: false }));
  } finally {
    await context.close();
  }
}

const database = (config: Config) => [ConfigModule.with(config), SigningModule, DatabaseModule];

/** Short commands end before WebAssembly optimized in the background would pay for itself. */
function loadQuickly(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

const withKeys = (run: (keys: ApiKeysService) => Promise<void>): Promise<void> => {
  loadQuickly();
  const module = { module: CliModule, imports: database(Config.fromProcess()), providers: [KeyBinding, ApiKeysService] };
  return withService(module, ApiKeysService, run);
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const seconds = (text: string): number => {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return Number(text);
};

interface CreateOptions {
  tenant: string;
  scope: string;
  expiresIn?: number;
}

function keysCommand(): Command {
  const keys = new Command('keys').description('manages tenants and their service access keys');
  keys
    .command('create')
    .description('creates a key, and its tenant if it does not exist; prints only the key')
    .requiredOption('--tenant <name>', 'tenant of the key')
    .requiredOption('--scope <entries>', 'scope entries, such as "file-management-api:query:* file-management-api:mutation:*"')
    .option('--expires-in <seconds>', 'lifetime of the key; without it, the key never expires', seconds)
    .action(({ tenant, scope, expiresIn }: CreateOptions) =>
      withKeys(async (service) => print(await service.create({ tenant, scope, expiresInSeconds: expiresIn }))),
    );
  keys
    .command('list')
    .description('lists keys, one per line, tab-separated: id, tenant, prefix, scope, created, expires, last used, revoked')
    .action(() => withKeys(async (service) => (await service.list()).forEach((key) => print(lineOf(key)))));
  keys
    .command('revoke <id>')
    .description('revokes a key by the id that list prints; takes effect on every node within 5 seconds')
    .action((id: string) => withKeys((service) => service.revoke(id)));
  keys
    .command('bind <id...>')
    .description(
      'confirms keys, by id, as list shows them: once SECRET_KEY is replaced, every key is refused until it is bound to the ' +
        'new one; takes effect on every node within 5 seconds',
    )
    .action((ids: string[]) =>
      withKeys(async (service) => {
        for (const id of ids) await service.bind(id);
      }),
    );
  keys
    .command('generate')
    .description('prints a well-formed key for BOOTSTRAP_API_KEY; stores nothing')
    .action(() => print(generateApiKey()));
  return keys;
}

function lineOf(key: Awaited<ReturnType<ApiKeysService['list']>>[number]): string {
  const times = [key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map((time) => time?.toISOString() ?? '-');
  return [key.id, key.tenant.name, key.prefix, key.scope, ...times].join('\t');
}

const BYTES = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

function limit(text: string, units: Record<string, number> = { '': 1 }): LimitChange {
  if (text === 'default') return text;
  if (text === 'unlimited') return Infinity;
  const [, digits, unit = ''] = /^([1-9]\d*)([A-Za-z]*)$/.exec(text) ?? [];
  const value = Number(digits) * (units[unit] ?? NaN);
  if (Number.isSafeInteger(value)) return value;
  const spelled = units[''] === 1 && units.KiB ? ', optionally with KiB, MiB, GiB or TiB' : '';
  throw new InvalidArgumentError(`must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}${spelled}, default or unlimited`);
}

const withTenants = (run: (tenants: TenantsService, usageOf: UsageOf) => Promise<void>): Promise<void> => {
  loadQuickly();
  const config = Config.fromProcess();
  const module = { module: CliModule, imports: database(config), providers: [TenantsService] };
  return withService(module, TenantsService, (tenants, database) => run(tenants, (id) => tenantUsage(database, id)));
};

type UsageOf = (tenantId?: string) => ReturnType<typeof tenantUsage>;

/** The limits in the order of `list`, with their names on the command line. */
const LIMIT_NAMES: Record<keyof TenantLimits, string> = {
  storedBytes: 'stored-bytes',
  files: 'files',
  waitingMessages: 'waiting-messages',
  templates: 'templates',
  stylesheets: 'stylesheets',
  mailsPerDay: 'mails-per-day',
};
const LIMITS = Object.entries(LIMIT_NAMES) as [keyof TenantLimits, string][];

function tenantsCommand(): Command {
  const tenants = new Command('tenants').description('shows what tenants use, and sets their limits');
  tenants
    .command('list')
    .description(
      'lists tenants, one per line, tab-separated: name, created, then usage and limit of bytes, files, waiting messages, ' +
        'templates, stylesheets and mails of today, such as 12/1000, or 12/- without a limit',
    )
    .action(() => withTenants(listTenants));
  tenants
    .command('limits <name>')
    .description(
      'sets limits of a tenant and prints all of them: name, limit, usage, and whether the limit is its own or the ' +
        'default; takes effect on every node within 5 seconds',
    )
    .option('--stored-bytes <bytes>', 'bytes, such as 10GiB; this and all other limits can also be: default, unlimited', (text) =>
      limit(text, BYTES),
    )
    .option('--files <count>', 'files, with and without content', (text) => limit(text))
    .option('--waiting-messages <count>', 'messages pushed and not yet delivered, cancelled or expired', (text) => limit(text))
    .option('--templates <count>', 'templates of documents and mails', (text) => limit(text))
    .option('--stylesheets <count>', 'stylesheets that templates share', (text) => limit(text))
    .option('--mails-per-day <count>', 'mails accepted from midnight to midnight, UTC', (text) => limit(text))
    .action((name: string, changes: LimitChanges) =>
      withTenants((service, usageOf) => limitTenant(service, usageOf, { name, changes })),
    );
  return tenants;
}

const formatLimit = (value: number, none: string): string => (value === Infinity ? none : String(value));

async function listTenants(tenants: TenantsService, usageOf: UsageOf): Promise<void> {
  const usage = await usageOf();
  for (const { id, name, createdAt, limits } of await tenants.list()) {
    const used = usage(id);
    print([name, createdAt.toISOString(), ...LIMITS.map(([key]) => `${used[key]}/${formatLimit(limits[key], '-')}`)].join('\t'));
  }
}

async function limitTenant(
  tenants: TenantsService,
  usageOf: UsageOf,
  { name, changes }: { name: string; changes: LimitChanges },
): Promise<void> {
  if (Object.keys(changes).length > 0) await tenants.setLimits(name, changes);
  const [tenant] = await tenants.list(name);
  const used = (await usageOf(tenant!.id))(tenant!.id);
  for (const [key, label] of LIMITS) {
    const limit = formatLimit(tenant!.limits[key], 'unlimited');
    print([label, limit, used[key], tenant!.own.has(key) ? 'own' : 'default'].join('\t'));
  }
}

interface ReconcileOptions {
  dryRun?: boolean;
  minAge?: number;
}

function filesCommand(): Command {
  const files = new Command('files').description('maintains the files of all tenants');
  files
    .command('reconcile')
    .description(
      'compares blobs, files and usage, and repairs what crashes left; prints one finding per line; youngBlobs are left alone',
    )
    .option('--dry-run', 'report only')
    .option('--min-age <seconds>', 'leave blobs without a file alone if they are younger than this; 86,400 by default', seconds)
    .action(reconcile);
  return files;
}

/** Exits with 3 when a dry run found something, so that a monitor can tell. */
async function reconcile({ dryRun = false, minAge }: ReconcileOptions): Promise<void> {
  const [{ FileReconcilerModule }, { FileReconcilerService }] = await Promise.all([
    import('./modules/file-management/maintenance/file-reconciler.module.js'),
    import('./modules/file-management/maintenance/file-reconciler.service.js'),
  ]);
  const imports = [...database(Config.fromProcess()), FileReconcilerModule];
  const module = { module: CliModule, imports };
  await withService(module, FileReconcilerService, async (service) => {
    const found = await service.reconcile({ dryRun, minAgeSeconds: minAge });
    const lines = Object.entries(found).flatMap(([kind, names]: [string, string[]]) => names.map((name) => `${kind}\t${name}`));
    lines.forEach(print);
    const young = found.youngBlobs.length;
    if (young > 0) {
      process.stderr.write(
        `${young} blobs without a file are younger than ${minAge ?? 86_400} s and were left alone; see --min-age\n`,
      );
    }
    if (dryRun && lines.length > young) process.exitCode = 3;
  });
}

function logCommand(): Command {
  const log = new Command('log').description('verifies the Document Log without a database, a secret or a server');
  log
    .command('verify <bundle>')
    .description(
      'verifies a file of GET /document-log/export?format=bundle, or - for standard input; prints what was verified; at the ' +
        'first fault, prints it and exits with 1',
    )
    .requiredOption('--public-key <key>', 'public key as it was handed over: 43 characters, or a file with the JWK set')
    .option('--checkpoint <file>', 'file with a latestSeal that was kept elsewhere; can be repeated', appended, [])
    .action(verifyBundle);
  return log;
}

const appended = (file: string, earlier: string[]): string[] => [...earlier, file];

async function verifyBundle(bundle: string, options: VerifyOptions): Promise<void> {
  const { verifyBundleFile } = await import('./log-command.js');
  try {
    (await verifyBundleFile(bundle, options)).forEach(print);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

const startCommand = (): Command =>
  new Command('start').description('serves until SIGTERM or SIGINT; takes its settings from the environment').action(async () => {
    const { start } = await import('./start.js');
    await start();
  });

keepFilesPrivate();
try {
  const program = new Command('platform-services')
    .addCommand(startCommand())
    .addCommand(keysCommand())
    .addCommand(tenantsCommand())
    .addCommand(filesCommand())
    .addCommand(logCommand());
  await program.parseAsync();
} catch (error) {
  const expected = error instanceof AppError || error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
