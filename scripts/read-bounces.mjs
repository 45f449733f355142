// node scripts/read-bounces.mjs FOLDER: prints how each mail of a folder is parsed as a report, tab-separated: file, kind, code,
// addresses. For corpora of real bounces, such as the test data of flufl.bounce and Mail::DeliveryStatus::BounceParser in Debian's
// sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

const [folder] = process.argv.slice(2);
await prepare();
const { readReport } = await import(pathToFileURL(join(root, 'dist/modules/email/bounces/reports/read-report.js')).href);
for (const file of readdirSync(folder).sort()) {
  const report = await readReport(readFileSync(join(folder, file)));
  const lines = report.recipients?.map(({ kind, code, addresses }) => [kind, code ?? '-', addresses.join()]);
  for (const line of lines ?? [['-', '-', report.noReport]]) console.log([file, ...line].join('\t'));
}
