// @nightly: installs packages
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { driverSettings } from '../../scripts/package-installs.mjs';

/** As better-sqlite3 13 does on a Node that it cannot serve. On Node 20, npm also leaves a `build` without a driver in it. */
const INDEX = `module.exports = class {
  constructor() {
    if (Number(process.versions.napi) < 10) process.abort();
  }
  close() {}
};`;
const isNode20 = Number(process.versions.napi) < 10;

const SCRIPTS = ['scripts/prepare.mjs', 'bin/node-version.mjs'];

describe('a checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-install-'));
  /** Node 20 takes the driver of this checkout, which npm finds here in the place of a download. */
  const settings = mkdtempSync(join(tmpdir(), 'platform-services-driver-'));
  let env: NodeJS.ProcessEnv;
  afterAll(() => [folder, settings].forEach((one) => rmSync(one, { recursive: true })));

  const npm = (...args: string[]) => execFileSync('npm', [...args, '--loglevel=error'], { cwd: folder, stdio: 'pipe' });
  const loads = (what: string) => spawnSync(process.execPath, ['-e', what], { cwd: folder }).status === 0;

  function write(path: string, text: string) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** A package that npm finds beside the checkout, as a tarball. */
  function pack(name: string, manifest: object, files: Record<string, string>) {
    write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...manifest }));
    for (const [file, text] of Object.entries(files)) write(`${name}/${file}`, text);
    npm('pack', `./${name}`);
  }

  /** As a version of Node would run it whose native modules have this version. */
  const install = (modules: string, options = {}) => installOn({ modules }, options);

  /** As a Node with these `process.versions` would run it. */
  function installOn(versions: Record<string, string>, options = {}) {
    const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,...${JSON.stringify(versions)}}})`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(pretend)}`;
    const script = `import('./scripts/prepare.mjs').then(({ install }) => install(${JSON.stringify(options)}))`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], {
      cwd: folder,
      env: { ...env, NODE_OPTIONS },
      encoding: 'utf8',
    });
    return {
      status,
      loads: loads("new (require('better-sqlite3'))(':memory:')"),
      steps: stderr.trim().split('\n').filter(Boolean),
    };
  }

  beforeAll(async () => {
    env = { ...process.env, ...(await driverSettings(settings)) };
    pack('better-sqlite3', {}, { 'index.js': INDEX, 'build/Makefile': '' });
    for (const name of ['of-studio', 'of-tests']) pack(name, {}, { 'index.js': '' });
    const manifest = { name: 'checkout', version: '1.0.0', workspaces: ['studio', 'test'] };
    write('package.json', JSON.stringify({ ...manifest, dependencies: { 'better-sqlite3': 'file:better-sqlite3-1.0.0.tgz' } }));
    for (const [name, needed] of Object.entries({ studio: 'of-studio', test: 'of-tests' })) {
      const devDependencies = { [needed]: `file:../${needed}-1.0.0.tgz` };
      write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', devDependencies }));
    }
    npm('install', '--package-lock-only', '--offline');
    for (const part of SCRIPTS) cpSync(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(folder, part));
  });

  it('is reinstalled automatically for another Node, and only then', () => {
    const steps = ['Installing packages ...'];
    const driver = isNode20 ? [expect.stringMatching(/^Installing better-sqlite3 for Node 20\S+ \.\.\.$/)] : [];
    const untouched = { status: 0, loads: true, steps: [] };
    expect(install('115')).toEqual({ ...untouched, steps: [...driver, ...steps] });
    expect(install('115')).toEqual(untouched);
    expect(install('137')).toEqual({ ...untouched, steps: [...driver, ...steps] });
    expect(install('137')).toEqual(untouched);
  });

  it('has what the server and Studio need at start, and the test packages on first use', () => {
    const untouched = { status: 0, loads: true, steps: [] };
    expect([loads("require('of-studio')"), loads("require('of-tests')")]).toEqual([true, false]);
    expect(install('137', { withTools: true })).toEqual({ ...untouched, steps: ['Installing all packages ...'] });
    expect([loads("require('of-studio')"), loads("require('of-tests')")]).toEqual([true, true]);
    expect(install('137', { withTools: true })).toEqual(untouched);
    expect(install('137')).toEqual(untouched);
  });

  it('has a driver that Node 20 can load, even after npm restored the locked one', () => {
    npm('install', '--ignore-scripts');
    expect(install('137')).toEqual({ status: 0, loads: true, steps: [] });
  });

  it('gets the locked driver back when a newer Node replaces Node 20', () => {
    write('node_modules/better-sqlite3/package.json', JSON.stringify({ name: 'better-sqlite3', version: '12.11.1' }));
    expect(installOn({ modules: '137', napi: '10' }).status).toBe(0);
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/better-sqlite3/package.json'), 'utf8'));
    expect(version).toBe('1.0.0');
  });
});
