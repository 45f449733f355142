import 'reflect-metadata';
import { Command, InvalidArgumentError } from 'commander';
import { backupCommand, restoreCommand } from './backup/backup-command.js';
import { Config, ConfigError } from './common/config/config.js';
import { packageVersion } from './common/base/project-file.js';
import { MAX_RETENTION_DAYS } from './common/config/retention-periods.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { AppError } from './common/base/app-error.js';
import { columns, print, say } from './common/base/printable.js';
import { BYTE_UNITS, parseBytes } from './common/base/amounts.js';
import type { LimitChange, LimitChanges, RetentionChanges } from './common/tenants/tenants.service.js';
import { CliModule, database, withService, withCommands } from './commands/cli.module.js';
import { keysCommand } from './commands/keys-command.js';
import { logCommand } from './commands/log-commands.js';
import { rotate, type RotateOptions } from './commands/rotate.js';
import { migrateCommand } from './commands/migrate-command.js';
import { seconds, takeSettings } from './commands/setting-options.js';
import { demoCommand } from './commands/demo/demo-command.js';
import { emailCommand } from './commands/email-command.js';
import { webhooksCommand } from './commands/webhooks/webhooks-command.js';
import { doctorCommand } from './doctor/doctor-command.js';

/** Exit code for wrong options or arguments. */
const USAGE = 2;

/** Parses a limit. With `isSize`, accepts a unit. */
function limit(text: string, isSize = false): LimitChange {
  if (text === 'default') return text;
  if (text === 'unlimited') return Infinity;
  const value = (isSize || /^\d+$/.test(text)) && parseBytes(text);
  if (value) return value;
  const spelled = isSize ? `, optionally with ${BYTE_UNITS}` : '';
  throw new InvalidArgumentError(`must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}${spelled}, default or unlimited`);
}

/** Parses a retention period. Null stands for the default of the settings. */
function days(text: string): number | null {
  if (text === 'default') return null;
  const count = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : NaN;
  if (count <= MAX_RETENTION_DAYS) return count;
  throw new InvalidArgumentError(`must be a whole number from 1 to ${MAX_RETENTION_DAYS}, or default`);
}

const retentionCommand = (): Command =>
  new Command('retention')
    .argument('<name>')
    .description(
      'sets retention periods of a tenant and prints all of them: kind, days or forever, and whether the period is its own or the ' +
        'default; removal of older data begins within a minute and cannot be undone',
    )
    .option('--files <days>', 'counted from the last change of content or fields; all periods: 1 to 36,500, or default', days)
    .option('--messages <days>', 'counted from delivery or cancellation', days)
    .option('--mails <days>', 'counted from when they were sent or failed', days)
    .option('--logs <days>', 'log records, counted from when they were written', days)
    .option('--events <days>', 'webhook events, counted from when they happened', days)
    .action((name: string, changes: RetentionChanges) =>
      withCommands(async (commands) => (await commands.retainFor(name, changes)).forEach((line) => print(line))),
    );

const erasePersonCommand = (): Command =>
  new Command('erase-person')
    .argument('<name>')
    .description(
      'erases a person from the messages, mails, log records and authors of a tenant and prints the id of the erasure; cannot be ' +
        'undone; a running server erases in the background',
    )
    .option('--author-id <id>', 'author id of the person on log records, files, templates and stylesheets')
    .option('--recipient <name>', 'name of the person as a recipient of messages')
    .option('--email-address <address>', 'email address of the person, in any letter case')
    .action((name: string, person: object) => withCommands(async (commands) => print(await commands.erasePerson(name, person))));

const erasureCommand = (): Command =>
  new Command('erasure')
    .argument('<id>')
    .description(
      'prints the state of the erasure of a person, tab-separated: RUNNING or DONE, what was erased, and what it waits for',
    )
    .action((id: string) => withCommands(async (commands) => print(await commands.showErasure(id))));

function tenantsCommand(): Command {
  const tenants = new Command('tenants').description(
    'creates tenants, shows what they use, sets their limits, suspends and deletes them',
  );
  tenants
    .command('list')
    .description(
      'lists tenants, one per line, tab-separated: name, created, then usage and limit of bytes, files, waiting messages, ' +
        'templates, stylesheets and mails of today, such as 12/1000, or 12/- without a limit, then SUSPENDED or DELETING; ' +
        'a child ends with its state and its parent',
    )
    .action(() => withCommands(async (commands) => (await commands.listTenants()).forEach((line) => print(line))));
  tenants
    .command('limits <name>')
    .description(
      'sets limits of a tenant and prints all of them: name, limit, usage, and whether the limit is its own or the ' +
        'default; takes effect on every node within 5 seconds',
    )
    .option('--stored-bytes <bytes>', 'bytes, such as 10GiB; every limit also accepts default and unlimited', (text) =>
      limit(text, true),
    )
    .option('--files <count>', 'files, with and without content', (text) => limit(text))
    .option('--waiting-messages <count>', 'messages pushed and not yet delivered, cancelled or expired', (text) => limit(text))
    .option('--templates <count>', 'templates of documents and mails', (text) => limit(text))
    .option('--stylesheets <count>', 'stylesheets that templates share', (text) => limit(text))
    .option('--mails-per-day <count>', 'mails accepted from midnight to midnight, UTC', (text) => limit(text))
    .option('--waiting-events <count>', 'events queued for active webhooks', (text) => limit(text))
    .action((name: string, changes: LimitChanges) =>
      withCommands(async (commands) => (await commands.limitTenant(name, changes)).forEach((line) => print(line))),
    );
  tenants.addCommand(retentionCommand()).addCommand(erasePersonCommand()).addCommand(erasureCommand());
  tenants
    .command('create <name>')
    .description('creates a tenant without keys and prints its id')
    .option('--parent <name>', 'tenant whose templates and verified domains it reads')
    .action((name: string, { parent }: { parent?: string }) =>
      withCommands(async (commands) => print(await commands.createTenant(name, parent))),
    );
  tenants
    .command('parent <name> [parent]')
    .description('sets the parent of a tenant, or removes it if none is named; takes effect on every node within 5 seconds')
    .action((name: string, parent?: string) => withCommands((commands) => commands.setParent(name, parent)));
  return withEndings(tenants);
}

/** Adds the commands that suspend, resume and delete a tenant. */
function withEndings(tenants: Command): Command {
  tenants
    .command('suspend <name>')
    .description(
      'refuses all keys, URLs and tokens of a tenant, without deleting its data; takes effect on every node within 4 seconds',
    )
    .action((name: string) => withCommands((commands) => commands.suspendTenant(name)));
  tenants
    .command('resume <name>')
    .description('undoes a suspension; takes effect on every node within 4 seconds')
    .action((name: string) => withCommands((commands) => commands.resumeTenant(name)));
  tenants
    .command('delete <name>')
    .description('deletes a tenant with all its data, which cannot be undone; a running server deletes in the background')
    .requiredOption('--confirm <name>', 'name of the tenant, as confirmation')
    .action((name: string, { confirm }: { confirm: string }) => withCommands((commands) => commands.deleteTenant(name, confirm)));
  return tenants;
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
      'compares blobs, files and usage, and repairs leftovers of crashes; prints one finding per line; ignores youngBlobs',
    )
    .option('--dry-run', 'report only')
    .option('--min-age <seconds>', 'ignore blobs without a file that are younger; 86,400 by default', seconds)
    .action(reconcile);
  return files;
}

/** Exits with 3 if a dry run found something, for monitors. */
async function reconcile({ dryRun = false, minAge }: ReconcileOptions): Promise<void> {
  const [{ FileReconciliationModule }, { FileReconciliationService }] = await Promise.all([
    import('./modules/file-management/expiry/file-reconciliation.module.js'),
    import('./modules/file-management/expiry/file-reconciliation.service.js'),
  ]);
  const imports = [...(await database(Config.fromProcess())), FileReconciliationModule];
  const module = { module: CliModule, imports };
  await withService(module, FileReconciliationService, async (service) => {
    const found = await service.reconcile({ dryRun, minAgeSeconds: minAge });
    const lines = Object.entries(found).flatMap(([kind, names]: [string, string[]]) => names.map((name) => columns(kind, name)));
    lines.forEach((line) => print(line));
    const young = found.youngBlobs.length;
    if (young > 0) {
      say(`${young} blobs without a file are younger than ${minAge ?? 86_400} s and were ignored; see --min-age`);
    }
    if (dryRun && lines.length > young) process.exitCode = 3;
  });
}

const rotateCommand = (): Command =>
  new Command('rotate')
    .description(
      'binds all keys to SECRET_KEY, hands all logs over to it, and prints the use of each secret, tab-separated: id of the ' +
        'secret, current, accepted or missing, keys, logs, records not sealed; exits with 3 while another secret is needed',
    )
    .option('--status', 'only print the use of each secret')
    .option('--generate', 'only replace the generated secret in DATA_DIR; the server uses the new one after a restart')
    .action(async (options: RotateOptions) => {
      const { lines, isOtherNeeded } = await rotate(options);
      lines.forEach((line) => print(line));
      if (isOtherNeeded) process.exitCode = 3;
    });

const startCommand = (): Command =>
  new Command('start')
    .description('serves until SIGTERM or SIGINT; the default command')
    .configureHelp({ showGlobalOptions: true })
    .action(async () => {
      const { start } = await import('./start.js');
      await start();
    });

function newProgram(): Command {
  // Commander itself: nest-commander would add prompts and unneeded optional peers.
  const program = new Command('platform-services')
    .description('Files, document rendering, websocket push, document log and email as GraphQL APIs in one process.')
    .version(packageVersion())
    .addCommand(startCommand())
    .addCommand(doctorCommand())
    .addCommand(keysCommand())
    .addCommand(tenantsCommand())
    .addCommand(filesCommand())
    .addCommand(rotateCommand())
    .addCommand(logCommand())
    .addCommand(webhooksCommand())
    .addCommand(emailCommand())
    .addCommand(demoCommand())
    .addCommand(migrateCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand());
  takeSettings(program);
  return program;
}

/** Inserts the default command where the arguments name none. */
function withCommand(program: Command, args: string[]): string[] {
  const { operands, unknown } = program.parseOptions(args);
  const isNamed = operands.length > 0 || ['-h', '--help'].some((flag) => unknown.includes(flag));
  return isNamed ? args : ['start', ...args];
}

/** Sets the exit code: 2 for a wrong command line, 1 for a failed command. */
function refuseUsage(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE));
  command.commands.forEach(refuseUsage);
}

keepFilesPrivate();
try {
  const program = newProgram();
  refuseUsage(program);
  await program.parseAsync(withCommand(program, process.argv.slice(2)), { from: 'user' });
} catch (error) {
  const expected = error instanceof AppError || error instanceof ConfigError;
  for (const line of (expected ? error.message : String((error as Error).stack)).split('\n')) say(line);
  process.exitCode = error instanceof AppError && error.code === 'BAD_USER_INPUT' ? USAGE : 1;
}
