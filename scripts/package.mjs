// npm run package -- FOLDER: creates the tarballs of the server, its client, and its packages for tests, NestJS and React. The server's has the content of
// the image; npm installs the packages that are not bundled.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { assemble } from './assemble.mjs';
import { prepareClients } from './client.mjs';
import { prepare, root } from './prepare.mjs';

const [target] = process.argv.slice(2);
if (!target) throw new Error('usage: npm run package -- FOLDER');
await prepare({ withTools: true });
prepareClients();
mkdirSync(resolve(target), { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'platform-services-package-'));
try {
  assemble(folder, { isPackage: true });
  cpSync(join(root, 'README.md'), join(folder, 'README.md'));
  const packages = ['js', 'testing', 'nestjs', 'react'].map((name) => `./clients/${name}`);
  const args = ['pack', '--pack-destination', resolve(target), '--loglevel=error', folder, ...packages];
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
