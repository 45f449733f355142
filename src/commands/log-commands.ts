import { Command } from 'commander';
import { print, say } from '../common/base/printable.js';
import type { VerifyOptions } from './bundle-verification.js';

export function logCommand(): Command {
  const log = new Command('log').description('verifies the Document Log');
  log
    .command('verify <bundle>')
    .description(
      'verifies a file of GET /document-log/export?format=bundle, or - for standard input, without a database, a secret or a ' +
        'server; prints what was verified; prints the first fault, if any, and exits with 1',
    )
    .requiredOption('--public-key <key>', 'public key obtained earlier: 43 characters, or a file with the JWK set')
    .option('--checkpoint <file>', 'file with a latestSeal stored elsewhere; can be repeated', appended, [])
    .action(verifyBundle);
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
