// Rules of ARCHITECTURE.md that neither the linter nor dependency-cruiser can say. Prints each finding; part of npm run check.
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { folderCircles } from './rules/circles.mjs';
import { checkNames } from './rules/names.mjs';
import { readSources } from './rules/source.mjs';
import { checkTenants, tenantTables } from './rules/tenants.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = readSources(root);
const isCommon = ({ path }) => path.startsWith('src/common/');
const findings = {
  names: checkNames(sources),
  tenants: checkTenants(sources, tenantTables(root)),
  circles: folderCircles(sources.filter((source) => !isCommon(source))),
  'circles of common': folderCircles(sources.filter(isCommon)),
};
/** Only a warning: the folders of common are one layer and lean on each other. Those of a module must be read one by one. */
const WARNS_ONLY = ['circles of common'];

for (const [rule, found] of Object.entries(findings)) {
  const warns = WARNS_ONLY.includes(rule);
  for (const one of found) console.log(`${warns ? 'warning' : 'error'} ${rule}: ${one}`);
  if (found.length > 0 && !warns) process.exitCode = 1;
}
