import { Command } from 'commander';
import { printable } from '../common/base/printable.js';
import type { Finding } from './doctor.js';

/** Creates the `doctor` command. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'checks Node, the settings, SQLite, DATA_DIR, the port, SECRET_KEY, the limit of open files, database, store, Redis, ' +
        'mail server and clock, and prints a remedy for each fault; exits with 1 if a check failed',
    )
    .option('--json', 'prints one JSON object: status, and for each check its state, detail and advice')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { examine } = await import('./doctor.js');
      const findings = await examine();
      const status = worstOf(findings);
      const text = json ? jsonOf({ status, checks: findings }) : findings.map(lineOf).join('');
      // Exits even if a connection to an unresponsive server is still open.
      process.stdout.write(text, () => process.exit(status === 'failed' ? 1 : 0));
    });
}

function worstOf(findings: Finding[]): Finding['state'] {
  return (['failed', 'warning'] as const).find((state) => findings.some((finding) => finding.state === state)) ?? 'ok';
}

function lineOf({ check, state, detail, advice }: Finding): string {
  const line = `${state.padEnd(8)} ${check.padEnd(12)} ${oneLine(detail)}\n`;
  return advice ? `${line}${' '.repeat(22)}${oneLine(advice)}\n` : line;
}

/** Formats a report as JSON. The escapes of `printable` are valid in JSON. */
const jsonOf = (report: object): string => `${JSON.stringify(report, null, 2).split('\n').map(printable).join('\n')}\n`;

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim());
