import { Command } from 'commander';
import { Config } from '../common/config/config.js';
import { print, say } from '../common/errors/printable.js';
import type { VerifyOptions } from './bundle-verification.js';
import { CliModule, database, withService } from './cli.module.js';

export function logCommand(): Command {
  const log = new Command('log').description('verifies the Document Log, and salts it');
  log
    .command('verify <bundle>')
    .description(
      'without a database, a secret or a server, verifies a file of GET /document-log/export?format=bundle, or - for standard ' +
        'input; prints what was verified; at the first fault, prints it and exits with 1',
    )
    .requiredOption('--public-key <key>', 'public key as it was handed over: 43 characters, or a file with the JWK set')
    .option('--checkpoint <file>', 'file with a latestSeal that was kept elsewhere; can be repeated', appended, [])
    .action(verifyBundle);
  log
    .command('salt')
    .description(
      'salts new records, so that persons can be erased from them, and allows erasing and removing records; run it once no node of ' +
        'release 0.1.0 serves any more; a new deployment does not need it',
    )
    .action(saltLog);
  return log;
}

const appended = (file: string, earlier: string[]): string[] => [...earlier, file];

async function verifyBundle(bundle: string, options: VerifyOptions): Promise<void> {
  const { verifyBundleFile } = await import('./bundle-verification.js');
  try {
    for (const line of await verifyBundleFile(bundle, options)) print(line);
  } catch (error) {
    say((error as Error).message);
    process.exitCode = 1;
  }
}

async function saltLog(): Promise<void> {
  const [{ LogRotationModule }, { LogFormatService }] = await Promise.all([
    import('../modules/document-log/rotation/log-rotation.module.js'),
    import('../modules/document-log/leaves/log-format.service.js'),
  ]);
  const module = { module: CliModule, imports: [...database(Config.fromProcess()), LogRotationModule] };
  await withService(module, LogFormatService, (format) => format.salt());
  print('new records are salted, on every node within 5 seconds');
}
