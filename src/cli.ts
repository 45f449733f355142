import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Command, InvalidArgumentError } from 'commander';
import { generateApiKey } from './common/auth/api-key.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { Config, ConfigError } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { DatabaseModule } from './common/database/database.module.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { AppError } from './common/errors/app-error.js';

@Module({})
class CliModule {}

/** Runs with a service on the configured database, which a server may be using at the same time. */
async function withService<T>(module: DynamicModule, token: Type<T>, run: (service: T) => Promise<void>): Promise<void> {
  const { NestFactory } = await import('@nestjs/core');
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    await run(context.get(token, { strict: false }));
  } finally {
    await context.close();
  }
}

const withKeys = (run: (keys: ApiKeysService) => Promise<void>): Promise<void> =>
  withService(
    { module: CliModule, imports: [ConfigModule.with(Config.fromProcess()), DatabaseModule], providers: [ApiKeysService] },
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
    .command('generate')
    .description('prints a well-formed key for BOOTSTRAP_API_KEY; stores nothing')
    .action(() => print(generateApiKey()));
  return keys;
}

function lineOf(key: Awaited<ReturnType<ApiKeysService['list']>>[number]): string {
  const times = [key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map((time) => time?.toISOString() ?? '-');
  return [key.id, key.tenant.name, key.prefix, key.scope, ...times].join('\t');
}

interface ReconcileOptions {
  dryRun?: boolean;
  minAge?: number;
}

function filesCommand(): Command {
  const files = new Command('files').description('the files of all tenants');
  files
    .command('reconcile')
    .description('compares store, files and usage, and mends what crashes left; prints one finding a line')
    .option('--dry-run', 'only report')
    .option('--min-age <seconds>', 'leave blobs alone that are younger; 86,400 unless given', seconds)
    .action(reconcile);
  return files;
}

/** Exits with 3 when a dry run found something, so that a monitor can tell. */
async function reconcile({ dryRun = false, minAge }: ReconcileOptions): Promise<void> {
  const [{ FileReconcilerModule }, { FileReconcilerService }] = await Promise.all([
    import('./modules/file-management/file-reconciler.module.js'),
    import('./modules/file-management/file-reconciler.service.js'),
  ]);
  const imports = [ConfigModule.with(Config.fromProcess()), DatabaseModule, FileReconcilerModule];
  const module = { module: CliModule, imports };
  await withService(module, FileReconcilerService, async (service) => {
    const found = await service.reconcile({ dryRun, minAgeSeconds: minAge });
    const lines = Object.entries(found).flatMap(([kind, names]: [string, string[]]) => names.map((name) => `${kind}\t${name}`));
    lines.forEach(print);
    if (dryRun && lines.length > 0) process.exitCode = 3;
  });
}

keepFilesPrivate();
try {
  const program = new Command('platform-services').addCommand(keysCommand()).addCommand(filesCommand());
  await program.parseAsync();
} catch (error) {
  const expected = error instanceof AppError || error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
