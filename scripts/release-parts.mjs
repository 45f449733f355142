// Third-party packages of a release: those loaded by the bundles, and the notices of these and of all packages in the bundles and in
// Studio.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './prepare.mjs';

const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const BILL_OF_MATERIALS = 'sbom.cdx.json';
/** Packages for installation or build only. */
const UNRELEASED = /^(prebuild-install|node-addon-api|vite|@types\/.*)$/;
const STUDIO = join(root, 'studio');
/** Notices of a package: its licence and, if present, the attributions that the licence requires. */
const NOTICE = /^(licen[cs]e|copying|notice|copyright)/i;

export const readManifest = (folder = root) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Returns the installed packages that the bundles import at run time. */
export function loadedPackages() {
  const { dependencies } = readManifest();
  return JSON.parse(readFileSync(join(root, 'dist', 'bundle', 'packages.json'), 'utf8')).filter((name) => name in dependencies);
}

/** Returns the folders of packages and of all their dependencies, resolved as Node does. */
export function closure(names, from = root) {
  const found = new Set();
  const add = (name, user) => {
    const path = UNRELEASED.test(name) ? undefined : installed(name, user);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = readManifest(path);
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) add(other, path);
  };
  for (const name of names) add(name, from);
  return found;
}

function installed(name, from) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
  }
  return undefined;
}

/** Writes the notices of all packages, since bundled ones are distributed too, and a bill of materials (CycloneDX). */
export function writeLegalTexts(folder) {
  const ofStudio = closure(Object.keys(readManifest(STUDIO).devDependencies), STUDIO);
  const packages = [...new Set([...closure(Object.keys(readManifest().dependencies)), ...ofStudio])].sort();
  writeFileSync(join(folder, NOTICES), packages.map(noticeOf).join('\n'));
  writeFileSync(join(folder, BILL_OF_MATERIALS), json(billOf(packages)));
}

function noticeOf(path) {
  const { name, version, license } = readManifest(path);
  const files = readdirSync(path).filter((file) => NOTICE.test(file) && !file.endsWith('.js'));
  const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
  return `${'='.repeat(80)}\n${name} ${version}: ${license ?? 'see below'}\n\n${texts.join('\n\n') || 'The package has no text of its licence.'}\n`;
}

/** Creates npm's bill of materials of the whole lock, reduced to released packages. */
function billOf(packages) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const bill = JSON.parse(stdout);
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const refOf = (path) => `${readManifest(path).name}@${(locked[relative(root, path)] ?? readManifest(path)).version}`;
  const released = new Set([bill.metadata.component['bom-ref'], ...packages.map(refOf)]);
  const components = bill.components
    .filter((one) => released.has(one['bom-ref']))
    .map((one) => ({ ...one, scope: 'required', properties: [] })); // those of Studio are for development, as npm sees it
  const dependencies = bill.dependencies
    .filter(({ ref }) => released.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => released.has(one)) }));
  return { ...bill, components, dependencies };
}

export const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
