// Rules of ARCHITECTURE.md that neither the linter nor dependency-cruiser can say. Prints each finding; part of npm run check.
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { folderCircles } from './rules/circles.mjs';
import { crowdedFolders } from './rules/crowds.mjs';
import { checkNames } from './rules/names.mjs';
import { readSources } from './rules/source.mjs';
import { checkTenants, tenantTables } from './rules/tenants.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = readSources(root);
const findings = {
  names: checkNames(sources),
  tenants: checkTenants(sources, tenantTables(root)),
  circles: folderCircles(sources),
  crowds: crowdedFolders(sources),
};

for (const [rule, found] of Object.entries(findings)) {
  for (const one of found) console.log(`error ${rule}: ${one}`);
  if (found.length > 0) process.exitCode = 1;
}
