import { Config } from '../common/config/config.js';
import { columns, print } from '../common/base/printable.js';
import { MAX_REPORT_BYTES } from '../modules/email/bounces/reports/mail-parts.js';
import { mailsOf } from '../modules/email/bounces/reports/mbox.js';
import { BouncesService, type TakenReport } from '../modules/email/bounces/bounces.service.js';
import { CliModule, database, withService } from './cli.module.js';
import { BounceCommandsModule } from './bounce-commands.module.js';

/** Records the reports of an mbox one by one, and prints the result of each. */
export async function takeBounces(input: AsyncIterable<Buffer>): Promise<void> {
  const module = { module: CliModule, imports: [...(await database(Config.fromProcess())), BounceCommandsModule] };
  await withService(module, BouncesService, async (bounces) => {
    let number = 0;
    for await (const mail of mailsOf(input, MAX_REPORT_BYTES)) print(lineOf(++number, await bounces.take(mail)));
  });
}

function lineOf(number: number, taken: TakenReport): string {
  if (taken.outcome === 'UNKNOWN') return columns(number, taken.outcome);
  if (taken.outcome === 'NO_REPORT') return columns(number, taken.outcome, taken.reason);
  const { outcome, recipient, bounce } = taken;
  return columns(number, outcome, recipient.emailId, recipient.address, bounce.kind, bounce.code ?? '-');
}
