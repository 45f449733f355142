// What the image and the package to install are made of: the bundles, migrations, schemas and legal texts, and packages that the
// bundles load.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './prepare.mjs';

export const PARTS = [
  'bin',
  'dist/bundle',
  'prisma/sqlite/migrations',
  'prisma/postgresql/migrations',
  'schema',
  'studio/dist',
  'LICENSE',
];
export const NOTICES = 'THIRD-PARTY-NOTICES.txt';
export const BILL_OF_MATERIALS = 'sbom.cdx.json';
/** Dependencies that serve an installation only. */
const OF_INSTALLATION = /^(prebuild-install|@types\/.*)$/;
/** Notices of a package: its licence and, where it has one, the attributions that the licence asks for. */
const NOTICE = /^(licen[cs]e|copying|notice|copyright)/i;

export const readManifest = (folder = root) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The part of package.json that holds for what is released, too. */
export function releasedManifest() {
  const { name, version, description, license, type, engines, bin } = readManifest();
  return { name, version, description, license, type, engines, bin };
}

/** The packages that the bundles import when they run. Of others that they mention, none is installed. */
export function loadedPackages() {
  const path = join(root, 'dist', 'bundle', 'packages.json');
  if (!existsSync(path))
    throw new Error('the bundler does not run on this platform: release on Linux, macOS or Windows on x64 or arm64');
  const { dependencies } = readManifest();
  return JSON.parse(readFileSync(path, 'utf8')).filter((name) => name in dependencies);
}

/** Returns the folders of packages and of all that they depend on, found as Node does from where each is installed. */
export function closure(names) {
  const found = new Set();
  const add = (name, from) => {
    const path = installed(name, from);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = readManifest(path);
    const needed = Object.keys({ ...dependencies, ...optionalDependencies }).filter((other) => !OF_INSTALLATION.test(other));
    for (const other of needed) add(other, path);
  };
  for (const name of names) add(name, root);
  return found;
}

function installed(name, from) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
  }
  return undefined;
}

/** Bundled packages are distributed too, so the notices of all packages go along, with a bill of materials (CycloneDX). */
export function writeLegalTexts(folder) {
  const packages = closure(Object.keys(readManifest().dependencies));
  const notices = [...packages].sort().map((path) => {
    const { name, version, license } = readManifest(path);
    const files = readdirSync(path).filter((file) => NOTICE.test(file) && !file.endsWith('.js'));
    const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
    return `${'='.repeat(80)}\n${name} ${version}: ${license ?? 'see below'}\n\n${texts.join('\n\n') || 'The package has no text of its licence.'}\n`;
  });
  writeFileSync(join(folder, NOTICES), notices.join('\n'));
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', '--loglevel=error'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  writeJson(join(folder, BILL_OF_MATERIALS), JSON.parse(stdout));
}

export function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
