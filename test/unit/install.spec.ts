// @nightly: installs packages
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Behaves as a native package: its install script makes a binary for the Node that runs it, and others cannot load that. */
const INSTALL = `const { mkdirSync, writeFileSync } = require('fs');
mkdirSync('build/Release', { recursive: true });
writeFileSync('build/Release/better_sqlite3.node', process.versions.modules);`;
const INDEX = `module.exports = class {
  constructor() {
    const built = require('fs').readFileSync(__dirname + '/build/Release/better_sqlite3.node', 'utf8');
    if (built !== process.versions.modules) throw new Error('ERR_DLOPEN_FAILED');
  }
  close() {}
};`;

describe('a checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-install-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** As a version of Node would run it whose native modules have this version. */
  function install(modules: string) {
    const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,modules:'${modules}'}})`;
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
    const script = "import('./scripts/prepare.mjs').then(({ install }) => install())";
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, env, encoding: 'utf8' });
    const loads = spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))()"], { cwd: folder, env }).status === 0;
    return { status, loads, steps: stderr.trim().split('\n').filter(Boolean) };
  }

  it('is installed again by itself for a Node that its native packages were not made for, and only then', () => {
    const driver = join(folder, 'driver');
    mkdirSync(driver);
    const script = { install: 'node install.js' };
    writeFileSync(join(driver, 'package.json'), JSON.stringify({ name: 'better-sqlite3', version: '1.0.0', scripts: script }));
    writeFileSync(join(driver, 'install.js'), INSTALL);
    writeFileSync(join(driver, 'index.js'), INDEX);
    const npm = (...args: string[]) => execFileSync('npm', [...args, '--loglevel=error'], { cwd: folder, stdio: 'pipe' });
    npm('pack', './driver');
    const dependencies = { 'better-sqlite3': 'file:better-sqlite3-1.0.0.tgz' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'checkout', version: '1.0.0', dependencies }));
    npm('install', '--package-lock-only', '--offline');
    for (const part of ['scripts/prepare.mjs', 'bin/node-version.mjs']) {
      cpSync(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(folder, part));
    }

    const steps = ['Installing packages ...', expect.stringMatching(/^Installing better-sqlite3 for Node \S+ \.\.\.$/)];
    const installed = { status: 0, loads: true, steps };
    const untouched = { status: 0, loads: true, steps: [] };
    expect(install('115')).toEqual(installed);
    expect(install('115')).toEqual(untouched);
    expect(install('137')).toEqual(installed);
    expect(install('137')).toEqual(untouched);
  });
});
