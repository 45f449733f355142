import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Command, InvalidArgumentError } from 'commander';
import { generateApiKey } from './common/auth/api-key.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { Config, ConfigError } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { DatabaseModule } from './common/database/database.module.js';
import { KeyBinding } from './common/auth/key-binding.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { PrismaService } from './common/database/prisma.service.js';
import { AppError } from './common/errors/app-error.js';
import { SigningModule } from './common/signing/signing.module.js';
import type { TenantLimits } from './common/tenants/limits.js';
import { type LimitChange, type LimitChanges, TenantsService } from './common/tenants/tenants.service.js';
import type { VerifyOptions } from './log-command.js';
import { tenantUsage } from './tenant-usage.js';

@Module({})
class CliModule {}

/** Runs with a service on the configured database, which a server may be using at the same time. */
async function withService<T>(
  module: DynamicModule,
  token: Type<T>,
  run: (service: T, prisma: PrismaService) => Promise<void>,
): Promise<void> {
  const { NestFactory } = await import('@nestjs/core');
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    await run(context.get(token, { strict: false }), context.get(PrismaService, { strict: false }));
  } finally {
    await context.close();
  }
}

const database = (config: Config) => [ConfigModule.with(config), SigningModule, DatabaseModule];

const withKeys = (run: (keys: ApiKeysService) => Promise<void>): Promise<void> =>
  withService(
    { module: CliModule, imports: database(Config.fromProcess()), providers: [KeyBinding, ApiKeysService] },
    ApiKeysService,
    run,
  );

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
  const keys = new Command('keys').description('tenants and their service access keys');
  keys
    .command('create')
    .description('makes a key, and its tenant if there is none of that name; prints the key and nothing else')
    .requiredOption('--tenant <name>', 'the tenant that the key belongs to')
    .requiredOption('--scope <entries>', 'such as "file-management-api:query:* file-management-api:mutation:*"')
    .option('--expires-in <seconds>', 'the lifetime of the key; without it the key does not expire', seconds)
    .action(({ tenant, scope, expiresIn }: CreateOptions) =>
      withKeys(async (service) => print(await service.create({ tenant, scope, expiresInSeconds: expiresIn }))),
    );
  keys
    .command('list')
    .description('one key a line, tab-separated: id, tenant, prefix, scope, created, expires, last used, revoked')
    .action(() => withKeys(async (service) => (await service.list()).forEach((key) => print(lineOf(key)))));
  keys
    .command('revoke <id>')
    .description('ends a key, by the id that list prints; takes effect on every node within 5 seconds')
    .action((id: string) => withKeys((service) => service.revoke(id)));
  keys
    .command('bind <id...>')
    .description(
      'confirms keys as list shows them, by id: after SECRET_KEY was replaced every key is refused until it is bound to the new ' +
        'one; takes effect on every node within 5 seconds',
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
  const spelled = units[''] === 1 && units.KiB ? ', with KiB, MiB, GiB or TiB if you like' : '';
  throw new InvalidArgumentError(`must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}${spelled}, default or unlimited`);
}

const withTenants = (run: (tenants: TenantsService, usageOf: UsageOf) => Promise<void>): Promise<void> => {
  const config = Config.fromProcess();
  const module = { module: CliModule, imports: database(config), providers: [TenantsService] };
  return withService(module, TenantsService, (tenants, prisma) => run(tenants, (id) => tenantUsage(prisma, config, id)));
};

type UsageOf = (tenantId?: string) => ReturnType<typeof tenantUsage>;

/** In the order of `list`, and how each is named on the command line. */
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
  const tenants = new Command('tenants').description('what tenants have, and what they may have');
  tenants
    .command('list')
    .description(
      'one tenant a line, tab-separated: name, created, then of bytes, files, waiting messages, templates, stylesheets ' +
        'and mails of today what it has and may have, such as 12/1000, or 12/- without a limit',
    )
    .action(() => withTenants(listTenants));
  tenants
    .command('limits <name>')
    .description(
      'sets limits of a tenant, and prints them all: name, limit, what it has, and whether the limit is its own or the ' +
        'default; takes effect on every node within 5 seconds',
    )
    .option('--stored-bytes <bytes>', 'such as 10GiB; for this and the others also: default, unlimited', (text) =>
      limit(text, BYTES),
    )
    .option('--files <count>', 'with and without content', (text) => limit(text))
    .option('--waiting-messages <count>', 'pushed, and neither delivered, cancelled nor expired', (text) => limit(text))
    .option('--templates <count>', 'of documents and mails', (text) => limit(text))
    .option('--stylesheets <count>', 'that templates share', (text) => limit(text))
    .option('--mails-per-day <count>', 'accepted from midnight to midnight, UTC', (text) => limit(text))
    .action((name: string, changes: LimitChanges) =>
      withTenants((service, usageOf) => limitTenant(service, usageOf, { name, changes })),
    );
  return tenants;
}

const shownLimit = (value: number, none: string): string => (value === Infinity ? none : String(value));

async function listTenants(tenants: TenantsService, usageOf: UsageOf): Promise<void> {
  const usage = await usageOf();
  for (const { id, name, createdAt, limits } of await tenants.list()) {
    const used = usage(id);
    print([name, createdAt.toISOString(), ...LIMITS.map(([key]) => `${used[key]}/${shownLimit(limits[key], '-')}`)].join('\t'));
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
  for (const [key, shown] of LIMITS) {
    const limit = shownLimit(tenant!.limits[key], 'unlimited');
    print([shown, limit, used[key], tenant!.own.has(key) ? 'own' : 'default'].join('\t'));
  }
}

interface ReconcileOptions {
  dryRun?: boolean;
  minAge?: number;
}

function filesCommand(): Command {
  const files = new Command('files').description('the files of all tenants');
  files
    .command('reconcile')
    .description(
      'compares store, files and usage, and mends what crashes left; prints one finding a line, youngBlobs being those left alone',
    )
    .option('--dry-run', 'only report')
    .option('--min-age <seconds>', 'leave blobs alone that no file names and that are younger; 86,400 unless given', seconds)
    .action(reconcile);
  return files;
}

/** Exits with 3 when a dry run found something, so that a monitor can tell. */
async function reconcile({ dryRun = false, minAge }: ReconcileOptions): Promise<void> {
  const [{ FileReconcilerModule }, { FileReconcilerService }] = await Promise.all([
    import('./modules/file-management/file-reconciler.module.js'),
    import('./modules/file-management/file-reconciler.service.js'),
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
        `${young} blobs that no file names are younger than ${minAge ?? 86_400} s and were left alone; see --min-age\n`,
      );
    }
    if (dryRun && lines.length > young) process.exitCode = 3;
  });
}

function logCommand(): Command {
  const log = new Command('log').description('the Document Log, verified without a database, a secret or a server');
  log
    .command('verify <bundle>')
    .description(
      'verifies a file of GET /document-log/export?format=bundle, or - for standard input; prints what was verified, or ' +
        'the first thing that is wrong and exits with 1',
    )
    .requiredOption('--public-key <key>', 'as it was handed over: 43 characters, or a file with the JWK set')
    .option('--checkpoint <file>', 'a latestSeal that was kept elsewhere; can be given more than once', also, [])
    .action(verifyBundle);
  return log;
}

const also = (file: string, others: string[]): string[] => [...others, file];

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
