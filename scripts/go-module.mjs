// node scripts/go-module.mjs vX.Y.Z FOLDER: writes the Go client with its generated types as a module proxy serves it, for
// GOPROXY=file://FOLDER. The workflow `release` puts the same files into the commit of the tag clients/go/vX.Y.Z.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { prepareClients } from './client.mjs';
import { root } from './prepare.mjs';

const CLIENT = join(root, 'clients', 'go');
/** Parts of the folder that are not of the module. */
const LEFT_OUT = ['scripts'];
/** Writes a ZIP with the files of a folder and none of its folders, which a module must not have. */
const ZIP = `import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk("."):
        for name in sorted(names):
            archive.write(os.path.join(folder, name))
`;

const [version, target] = process.argv.slice(2);
if (!target) throw new Error('usage: node scripts/go-module.mjs vX.Y.Z FOLDER');
prepareClients();
writeGoModule(resolve(target));

/** Writes the module below a folder. */
function writeGoModule(folder) {
  const manifest = readFileSync(join(CLIENT, 'go.mod'), 'utf8');
  const [, name] = /^module (.*)$/m.exec(manifest);
  const versions = join(folder, name, '@v');
  const staging = mkdtempSync(join(tmpdir(), 'platform-services-go-module-'));
  try {
    const module = join(staging, `${name}@${version}`);
    cpSync(CLIENT, module, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
    cpSync(join(root, 'LICENSE'), join(module, 'LICENSE'));
    mkdirSync(versions, { recursive: true });
    const archive = join(versions, `${version}.zip`);
    const { status, error } = spawnSync('python3', ['-c', ZIP, archive], { cwd: staging, stdio: 'inherit' });
    if (status !== 0) throw new Error(`the module was not packed: ${error?.message ?? `status ${status}`}`);
    writeFileSync(join(versions, `${version}.mod`), manifest);
    writeFileSync(join(versions, `${version}.info`), JSON.stringify({ Version: version, Time: new Date().toISOString() }));
    writeFileSync(join(versions, 'list'), `${version}\n`);
  } finally {
    rmSync(staging, { recursive: true });
  }
}
