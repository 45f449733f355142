import { Command } from 'commander';

/** Creates the `email` command. */
export function emailCommand(): Command {
  const email = new Command('email').description('records bounces of mails');
  email
    .command('bounces')
    .description(
      'reads an mbox or one mail from standard input, records the bounces and complaints in it, and prints one line per mail, tab-separated: ' +
        'its number, then RECORDED or REPEATED (recorded before), id of the message, address, kind and code; NO_REPORT and why; or ' +
        'UNKNOWN (no message of this server)',
    )
    .action(async () => {
      const { takeBounces } = await import('./take-bounces.js');
      await takeBounces(process.stdin);
    });
  return email;
}
