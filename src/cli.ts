import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, InvalidArgumentError } from 'commander';
import { generateApiKey } from './common/auth/api-key.js';
import { ApiKeysService } from './common/auth/api-keys.service.js';
import { Config, ConfigError } from './common/config/config.js';
import { ConfigModule } from './common/config/config.module.js';
import { DatabaseModule } from './common/database/database.module.js';
import { AppError } from './common/errors/app-error.js';

@Module({ imports: [DatabaseModule], providers: [ApiKeysService] })
class CliModule {}

/** Runs with the keys of the configured database, which a server may be using at the same time. */
async function withKeys(run: (keys: ApiKeysService) => Promise<void>): Promise<void> {
  const config = Config.fromProcess();
  const root = { module: CliModule, imports: [ConfigModule.with(config)] };
  const context = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    await run(context.get(ApiKeysService));
  } finally {
    await context.close();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const seconds = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return Number(text);
};

interface CreateOptions {
  tenant: string;
  scope: string;
  expiresIn?: number;
}

const program = new Command('keys').description('Tenants and their service access keys');

program
  .command('create')
  .description('makes a key, and its tenant if there is none of that name; prints the key and nothing else')
  .requiredOption('--tenant <name>', 'the tenant that the key belongs to')
  .requiredOption('--scope <entries>', 'such as "file-management-api:query:* file-management-api:mutation:*"')
  .option('--expires-in <seconds>', 'the lifetime of the key; without it the key does not expire', seconds)
  .action(({ tenant, scope, expiresIn }: CreateOptions) =>
    withKeys(async (keys) => print(await keys.create({ tenant, scope, expiresInSeconds: expiresIn }))),
  );

program
  .command('list')
  .description('one key a line, tab-separated: id, tenant, prefix, scope, created, expires, last used, revoked')
  .action(() =>
    withKeys(async (keys) => {
      for (const key of await keys.list()) {
        const times = [key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map((time) => time?.toISOString() ?? '-');
        print([key.id, key.tenant.name, key.prefix, key.scope, ...times].join('\t'));
      }
    }),
  );

program
  .command('revoke <id>')
  .description('ends a key, by the id that list prints; takes effect on every node within 5 seconds')
  .action((id: string) => withKeys((keys) => keys.revoke(id)));

program
  .command('generate')
  .description('prints a well-formed key for BOOTSTRAP_API_KEY; stores nothing')
  .action(() => print(generateApiKey()));

try {
  await program.parseAsync();
} catch (error) {
  const expected = error instanceof AppError || error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
