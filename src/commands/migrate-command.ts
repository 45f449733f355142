import { Command } from 'commander';
import { Config } from '../common/config/config.js';
import { readMigrations } from '../common/database/migrator.js';
import { columns, print } from '../common/base/printable.js';
import { CliModule, database, withService } from './cli.module.js';

interface MigrateOptions {
  status?: boolean;
  dryRun?: boolean;
}

/** Creates the `migrate` command. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('applies pending migrations, as a node does at startup, and prints their names')
    .option(
      '--status',
      'changes nothing; prints one migration per line: applied, waiting, or unknown to this release; exits with 3 unless all are applied and known',
    )
    .option('--dry-run', 'changes nothing; prints the SQL that would run')
    .action(async ({ status, dryRun }: MigrateOptions) => {
      const config = Config.fromProcess();
      const { applied, waiting, unknown } = await readMigrations(config.databaseUrl);
      const names = waiting.map(({ name }) => name);
      if (status) {
        printAll('applied', applied);
        printAll('waiting', names);
        printAll('unknown', unknown);
        if (waiting.length + unknown.length > 0) process.exitCode = 3;
      } else if (dryRun) {
        for (const { name, sql } of waiting) process.stdout.write(`-- ${name}\n${sql}\n`);
      } else {
        await apply(config);
        printAll('applied', names);
      }
    });
}

/** Opens the database, which applies the migrations. */
async function apply(config: Config): Promise<void> {
  const imports = await database(config, { mayBeNew: true });
  await withService({ module: CliModule, imports }, Config, () => Promise.resolve());
}

function printAll(state: string, names: string[]): void {
  for (const name of names) print(columns(state, name));
}
